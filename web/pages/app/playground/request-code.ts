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
    '    print(chunk.choices[0].delta.content or "", end="", flush=True)',
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
    '  process.stdout.write(chunk.choices[0]?.delta.content ?? "");',
    "}",
  ].join("\n");
}

interface Dialect {
  indent: number;
  true: string;
  open: string;
  close: string;
  field: (name: string) => string;
}

const python: Dialect = { indent: 4, true: "True", open: "{", close: "}", field: (name) => `"${name}"` };
const javascript: Dialect = { indent: 2, true: "true", open: "{ ", close: " }", field: (name) => name };

/** JSON's texts and numbers mean the same in both languages. Lists of messages get a line for each. */
function literal(value: unknown, dialect: Dialect, indent: number): string {
  if (value === true) return dialect.true;
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) {
    const margin = " ".repeat(indent + dialect.indent);
    const lines = value.map((item) => `${margin}${literal(item, dialect, indent)},\n`);
    return `[\n${lines.join("")}${" ".repeat(indent)}]`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, dialect, indent)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, item]) => `${dialect.field(name)}: ${literal(item, dialect, indent)}`,
  );
  return `${dialect.open}${fields.join(", ")}${dialect.close}`;
}
