/**
 * An operation as code: with curl, and with the library that has a call for it in Python and Node. Operations that no
 * library knows are plain HTTP requests.
 */
import { samplesIn } from "../../../components/text/language-samples.js";
import {
  anthropic,
  fieldsIn,
  javascript,
  nodeClient,
  openAi,
  python,
  pythonClient,
  type Library,
} from "../../app/playground/request-code.js";
import type { Method, Operation } from "./openapi.js";

export interface SampleRequest {
  /** The service's origin, without a trailing slash. */
  origin: string;
  method: Method;
  /** As in the document: `/v1/models/{id}`. */
  path: string;
  operation: Operation;
  body: Record<string, unknown> | undefined;
}

/** Sample values for path parameters. */
const parameters = new Map([["{id}", "omega"]]);

interface LibraryCall {
  library: Library;
  python: string;
  node: string;
  /** For calls without a body. */
  argument?: string;
}

const calls: Record<string, LibraryCall | undefined> = {
  createChatCompletion: bothAs(openAi, "chat.completions.create"),
  createResponse: bothAs(openAi, "responses.create"),
  compactResponse: bothAs(openAi, "responses.compact"),
  createCompletion: bothAs(openAi, "completions.create"),
  createEmbeddings: bothAs(openAi, "embeddings.create"),
  createMessage: bothAs(anthropic, "messages.create"),
  countMessageTokens: { library: anthropic, python: "messages.count_tokens", node: "messages.countTokens" },
  listModels: { ...bothAs(openAi, "models.list"), argument: "" },
  retrieveModel: { ...bothAs(openAi, "models.retrieve"), argument: '"omega"' },
};

export function requestSamples(request: SampleRequest) {
  const call = calls[request.operation.operationId ?? ""];
  return samplesIn({
    curl: curlCode(request),
    python: call === undefined ? plainPython(request) : pythonCall(request, call),
    node: call === undefined ? plainNode(request) : nodeCall(request, call),
  });
}

function bothAs(library: Library, call: string): LibraryCall {
  return { library, python: call, node: call };
}

function curlCode({ body, ...request }: SampleRequest): string {
  const json =
    body === undefined ? undefined : JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl ${body?.stream === true ? "--no-buffer " : ""}${addressOf(request)}`,
    ...headersOf(request).map(([name, value]) => `  -H "${name}: ${value}"`),
    ...(json === undefined ? [] : ['  -H "Content-Type: application/json"', `  -d '${json}'`]),
  ].join(" \\\n");
}

const baseUrlOf = (origin: string, { library }: LibraryCall): string =>
  library === anthropic ? origin : `${origin}/v1`;

function pythonCall({ origin, body }: SampleRequest, call: LibraryCall): string {
  const stream = body?.stream === true;
  return [
    ...pythonClient(call.library, baseUrlOf(origin, call)),
    ...(call.argument === undefined
      ? [`${stream ? "stream" : "reply"} = client.${call.python}(`, ...fieldsIn(python, body ?? {}), ")"]
      : [`reply = client.${call.python}(${call.argument})`]),
    ...(stream ? ["for event in stream:", "    print(event)"] : ["print(reply)"]),
  ].join("\n");
}

function nodeCall({ origin, body }: SampleRequest, call: LibraryCall): string {
  const stream = body?.stream === true;
  return [
    ...nodeClient(call.library, baseUrlOf(origin, call)),
    ...(call.argument === undefined
      ? [
          `const ${stream ? "stream" : "reply"} = await client.${call.node}({`,
          ...fieldsIn(javascript, body ?? {}),
          "});",
        ]
      : [`const reply = await client.${call.node}(${call.argument});`]),
    stream ? "for await (const event of stream) console.log(event);" : "console.log(reply);",
  ].join("\n");
}

function plainPython(request: SampleRequest): string {
  const headers = headersOf(request).map(([name, value]) => {
    const variable = /\$(\w+)/.exec(value)?.[1];
    return variable === undefined
      ? `"${name}": "${value}"`
      : `"${name}": f"${value.replace(/\$\w+/, `{os.environ['${variable}']}`)}"`;
  });
  return [
    ...(headers.length === 0 ? [] : ["import os"]),
    "import requests",
    "",
    `reply = requests.${request.method}(`,
    `    "${addressOf(request)}",`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(", ")}},`]),
    ...(request.body === undefined ? [] : fieldsIn(python, { json: request.body })),
    `    timeout=${request.body === undefined ? 10 : 60},`,
    ")",
    "print(reply.status_code, reply.text)",
  ].join("\n");
}

function plainNode(request: SampleRequest): string {
  const { body } = request;
  const headers = headersOf(request).map(
    ([name, value]) => `${name}: \`${value.replace(/\$(\w+)/, "${process.env.$1}")}\``,
  );
  if (body !== undefined) headers.push('"content-type": "application/json"');
  const options = [
    ...(body === undefined ? [] : ['  method: "POST",']),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(", ")} },`]),
    ...(body === undefined
      ? []
      : ["  body: JSON.stringify({", ...fieldsIn(javascript, body).map((line) => `  ${line}`), "  }),"]),
  ];
  return [
    options.length === 0
      ? `const reply = await fetch("${addressOf(request)}");`
      : [`const reply = await fetch("${addressOf(request)}", {`, ...options, "});"].join("\n"),
    "console.log(reply.status, await reply.text());",
  ].join("\n");
}

function addressOf({ origin, path }: { origin: string; path: string }): string {
  return origin + path.replace(/\{\w+\}/g, (name) => parameters.get(name) ?? name);
}

/** By the operation's security scheme: none, an API key, or the operator's token. */
function headersOf({
  path,
  operation,
}: {
  path: string;
  operation: Operation;
}): [name: string, value: string][] {
  if (operation.security?.length === 0) return [];
  if (path.startsWith("/v1/messages")) {
    return [
      ["x-api-key", "$SOTTO_API_KEY"],
      ["anthropic-version", "2023-06-01"],
    ];
  }
  return [["Authorization", `Bearer ${path === "/metrics" ? "$SOTTO_METRICS_TOKEN" : "$SOTTO_API_KEY"}`]];
}
