/**
 * A streamed chat request as code to copy, in curl, Python and Node. The key is read from the environment.
 * Texts are quoted for each language, so that a quotation mark in a message breaks nothing.
 */
export type RequestFields = Record<string, unknown>;

export const curlCode = (baseUrl: string, request: RequestFields): string =>
  curlTo(`${baseUrl}/chat/completions`, ["Authorization: Bearer $SOTTO_API_KEY"], request);

export function curlTo(address: string, headers: readonly string[], request: RequestFields): string {
  const body = JSON.stringify({ ...request, stream: true }, null, 2).replaceAll("\n", "\n  ");
  return [
    `curl -N ${address} \\`,
    ...headers.map((header) => `  -H "${header}" \\`),
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join("\n");
}

export const pythonCode = (baseUrl: string, request: RequestFields): string =>
  withPython(pythonClient(openAi, baseUrl), "chat.completions.create", request, [
    "for chunk in stream:",
    "    delta = chunk.choices[0].delta",
    '    print(delta.content or "", end="", flush=True)',
    ...(request.tools === undefined ? [] : pythonCalls),
  ]);

export const nodeCode = (baseUrl: string, request: RequestFields): string =>
  withNode(nodeClient(openAi, baseUrl), "chat.completions.create", request, [
    "for await (const chunk of stream) {",
    "  const delta = chunk.choices[0]?.delta;",
    '  process.stdout.write(delta?.content ?? "");',
    ...(request.tools === undefined ? [] : nodeCalls),
    "}",
  ]);

export interface Library {
  /** Of the package for Python, and of that for Node. */
  packages: [python: string, node: string];
  client: string;
}
export const openAi: Library = { packages: ["openai", "openai"], client: "OpenAI" };
/** Its libraries append `/v1` themselves. */
export const anthropic: Library = { packages: ["anthropic", "@anthropic-ai/sdk"], client: "Anthropic" };

/** The lines that make a client in Python. */
export const pythonClient = ({ packages, client }: Library, baseUrl: string): string[] => [
  "import os",
  `from ${packages[0]} import ${client}`,
  "",
  `client = ${client}(`,
  `    base_url="${baseUrl}",`,
  '    api_key=os.environ["SOTTO_API_KEY"],',
  ")",
  "",
];

export const nodeClient = ({ packages, client }: Library, baseUrl: string): string[] => [
  `import ${client} from "${packages[1]}";`,
  "",
  `const client = new ${client}({`,
  `  baseURL: "${baseUrl}",`,
  "  apiKey: process.env.SOTTO_API_KEY,",
  "});",
  "",
];

/** A streamed request: `method` of the client is called, `lines` read the stream. */
export const withPython = (
  client: readonly string[],
  method: string,
  request: RequestFields,
  lines: readonly string[],
): string =>
  [
    ...client,
    `stream = client.${method}(`,
    ...fieldsIn(python, { ...request, stream: true }),
    ")",
    ...lines,
  ].join("\n");

export const withNode = (
  client: readonly string[],
  method: string,
  request: RequestFields,
  lines: readonly string[],
): string =>
  [
    ...client,
    `const stream = await client.${method}({`,
    ...fieldsIn(javascript, { ...request, stream: true }),
    "});",
    ...lines,
  ].join("\n");

/** The name comes once, the arguments in fragments. */
const pythonCalls = [
  "    for call in delta.tool_calls or []:",
  "        if call.function.name:",
  '            print(f"\\n{call.function.name} ", end="")',
  '        print(call.function.arguments or "", end="", flush=True)',
];
const nodeCalls = [
  "  for (const call of delta?.tool_calls ?? []) {",
  "    if (call.function?.name) process.stdout.write(`\\n${call.function.name} `);",
  '    process.stdout.write(call.function?.arguments ?? "");',
  "  }",
];

interface Dialect {
  indent: number;
  /** Between a field of the request and its value. */
  assign: string;
  /** Literals that differ from JSON. */
  words: ReadonlyMap<unknown, string>;
  open: string;
  close: string;
  field: (name: string) => string;
}

export const python: Dialect = {
  indent: 4,
  assign: "=",
  words: new Map<unknown, string>([
    [true, "True"],
    [false, "False"],
    [null, "None"],
  ]),
  open: "{",
  close: "}",
  field: (name) => JSON.stringify(name),
};
export const javascript: Dialect = {
  indent: 2,
  assign: ": ",
  words: new Map(),
  open: "{ ",
  close: " }",
  field: javascriptField,
};

function javascriptField(name: string): string {
  // As a plain property name, it would set the object's prototype.
  if (name === "__proto__") return '["__proto__"]';
  return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The fields of a request as the arguments of a call, a line for each. */
export const fieldsIn = (dialect: Dialect, request: RequestFields): string[] =>
  Object.entries(request).map(
    ([name, value]) =>
      `${" ".repeat(dialect.indent)}${name}${dialect.assign}${literal(value, dialect, dialect.indent)},`,
  );

/** JSON strings and numbers are valid in both languages. Values that contain objects get a line for each item. */
function literal(value: unknown, dialect: Dialect, indent: number): string {
  if (typeof value !== "object" || value === null) return dialect.words.get(value) ?? JSON.stringify(value);
  const inner = indent + dialect.indent;
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, dialect, inner))
    : Object.entries(value).map(([name, item]) => `${dialect.field(name)}: ${literal(item, dialect, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : [dialect.open, dialect.close];
  if (items.length === 0) return `${open}${close}`.replace("  ", "");
  if (!Object.values(value).some(holdsObjects)) return `${open}${items.join(", ")}${close}`;
  const lines = items.map((item) => `${" ".repeat(inner)}${item},\n`);
  return `${open.trim()}\n${lines.join("")}${" ".repeat(indent)}${close.trim()}`;
}

const holdsObjects = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(holdsObjects) : typeof value === "object" && value !== null;
