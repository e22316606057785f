/** A streamed request of the Messages API as code to copy. Its libraries append `/v1` themselves. */
import {
  anthropic,
  curlTo,
  nodeClient,
  pythonClient,
  withNode,
  withPython,
  type RequestFields,
} from "../request-code.js";

const withoutVersion = (baseUrl: string): string => baseUrl.replace(/\/v1$/, "");

export const curlCode = (baseUrl: string, request: RequestFields): string =>
  curlTo(`${baseUrl}/messages`, ["x-api-key: $SOTTO_API_KEY", "anthropic-version: 2023-06-01"], request);

export const pythonCode = (baseUrl: string, request: RequestFields): string =>
  withPython(pythonClient(anthropic, withoutVersion(baseUrl)), "messages.create", request, [
    "for event in stream:",
    ...(request.tools === undefined ? [] : pythonCalls),
    '    if event.type == "content_block_delta" and event.delta.type == "text_delta":',
    '        print(event.delta.text, end="", flush=True)',
  ]);

export const nodeCode = (baseUrl: string, request: RequestFields): string =>
  withNode(nodeClient(anthropic, withoutVersion(baseUrl)), "messages.create", request, [
    "for await (const event of stream) {",
    ...(request.tools === undefined ? [] : nodeCalls),
    '  if (event.type === "content_block_delta" && event.delta.type === "text_delta") {',
    "    process.stdout.write(event.delta.text);",
    "  }",
    "}",
  ]);

/** The name comes once, the arguments in fragments. */
const pythonCalls = [
  '    if event.type == "content_block_start" and event.content_block.type == "tool_use":',
  '        print(f"\\n{event.content_block.name} ", end="")',
  '    if event.type == "content_block_delta" and event.delta.type == "input_json_delta":',
  '        print(event.delta.partial_json, end="", flush=True)',
];
const nodeCalls = [
  '  if (event.type === "content_block_start" && event.content_block.type === "tool_use") {',
  "    process.stdout.write(`\\n${event.content_block.name} `);",
  "  }",
  '  if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {',
  "    process.stdout.write(event.delta.partial_json);",
  "  }",
];
