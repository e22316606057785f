/** A streamed request of the Responses API as code to copy. */
import {
  curlTo,
  nodeClient,
  openAi,
  pythonClient,
  withNode,
  withPython,
  type RequestFields,
} from "../request-code.js";

export const curlCode = (baseUrl: string, request: RequestFields): string =>
  curlTo(`${baseUrl}/responses`, ["Authorization: Bearer $SOTTO_API_KEY"], request);

export const pythonCode = (baseUrl: string, request: RequestFields): string =>
  withPython(pythonClient(openAi, baseUrl), "responses.create", request, [
    "for event in stream:",
    '    if event.type == "response.output_text.delta":',
    '        print(event.delta, end="", flush=True)',
    ...(request.tools === undefined ? [] : pythonCalls),
  ]);

export const nodeCode = (baseUrl: string, request: RequestFields): string =>
  withNode(nodeClient(openAi, baseUrl), "responses.create", request, [
    "for await (const event of stream) {",
    '  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);',
    ...(request.tools === undefined ? [] : nodeCalls),
    "}",
  ]);

const pythonCalls = [
  '    if event.type == "response.output_item.done" and event.item.type == "function_call":',
  '        print(f"\\n{event.item.name} {event.item.arguments}")',
];
const nodeCalls = [
  '  if (event.type === "response.output_item.done" && event.item.type === "function_call") {',
  "    console.log(`\\n${event.item.name} ${event.item.arguments}`);",
  "  }",
];
