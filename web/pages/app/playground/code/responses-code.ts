/** A streamed request of the Responses API as code to copy. */
import { curlTo, fieldsIn, javascript, python, type RequestFields } from "../request-code.js";

export const curlCode = (baseUrl: string, request: RequestFields): string =>
  curlTo(`${baseUrl}/responses`, ["Authorization: Bearer $SOTTO_API_KEY"], request);

export function pythonCode(baseUrl: string, request: RequestFields): string {
  return [
    "import os",
    "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    base_url="${baseUrl}",`,
    '    api_key=os.environ["SOTTO_API_KEY"],',
    ")",
    "",
    "stream = client.responses.create(",
    ...fieldsIn(python, { ...request, stream: true }),
    ")",
    "for event in stream:",
    '    if event.type == "response.output_text.delta":',
    '        print(event.delta, end="", flush=True)',
    ...(request.tools === undefined ? [] : pythonCalls),
  ].join("\n");
}

export function nodeCode(baseUrl: string, request: RequestFields): string {
  return [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: "${baseUrl}",`,
    "  apiKey: process.env.SOTTO_API_KEY,",
    "});",
    "",
    "const stream = await client.responses.create({",
    ...fieldsIn(javascript, { ...request, stream: true }),
    "});",
    "for await (const event of stream) {",
    '  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);',
    ...(request.tools === undefined ? [] : nodeCalls),
    "}",
  ].join("\n");
}

const pythonCalls = [
  '    if event.type == "response.output_item.done" and event.item.type == "function_call":',
  '        print(f"\\n{event.item.name} {event.item.arguments}")',
];
const nodeCalls = [
  '  if (event.type === "response.output_item.done" && event.item.type === "function_call") {',
  "    console.log(`\\n${event.item.name} ${event.item.arguments}`);",
  "  }",
];
