/**
 * A streamed chat request as code to copy, in curl, Python and Node. The key is read from the environment.
 * Texts are quoted for each language, so that a quotation mark in a message breaks nothing.
 */
export type RequestFields = Record<string, unknown>;

export function curlCode(baseUrl: string, request: RequestFields): string {
  const body = JSON.stringify({ ...request, stream: true }, null, 2);
  return [
    `curl -N ${baseUrl}/chat/completions \\`,
    `  -H "Authorization: Bearer $SOTTO_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join("\n");
}

export function pythonCode(baseUrl: string, request: RequestFields): string {
  const fields = Object.entries({ ...request, stream: true });
  return [
    "import os",
    "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    base_url="${baseUrl}",`,
    '    api_key=os.environ["SOTTO_API_KEY"],',
    ")",
    "",
    "stream = client.chat.completions.create(",
    ...fields.map(([name, value]) => `    ${name}=${literal(value, python, 4)},`),
    ")",
    "for chunk in stream:",
    "    delta = chunk.choices[0].delta",
    '    print(delta.content or "", end="", flush=True)',
    ...(request.tools === undefined ? [] : pythonCalls),
  ].join("\n");
}

export function nodeCode(baseUrl: string, request: RequestFields): string {
  const fields = Object.entries({ ...request, stream: true });
  return [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: "${baseUrl}",`,
    "  apiKey: process.env.SOTTO_API_KEY,",
    "});",
    "",
    "const stream = await client.chat.completions.create({",
    ...fields.map(([name, value]) => `  ${name}: ${literal(value, javascript, 2)},`),
    "});",
    "for await (const chunk of stream) {",
    "  const delta = chunk.choices[0]?.delta;",
    '  process.stdout.write(delta?.content ?? "");',
    ...(request.tools === undefined ? [] : nodeCalls),
    "}",
  ].join("\n");
}

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
  /** What is not written as in JSON. */
  words: ReadonlyMap<unknown, string>;
  open: string;
  close: string;
  field: (name: string) => string;
}

const python: Dialect = {
  indent: 4,
  words: new Map<unknown, string>([
    [true, "True"],
    [false, "False"],
    [null, "None"],
  ]),
  open: "{",
  close: "}",
  field: (name) => JSON.stringify(name),
};
const javascript: Dialect = { indent: 2, words: new Map(), open: "{ ", close: " }", field: javascriptField };

function javascriptField(name: string): string {
  // Written plainly, it would set the object's prototype.
  if (name === "__proto__") return '["__proto__"]';
  return /^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** JSON's texts and numbers mean the same in both languages. What holds objects gets a line for each item. */
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
