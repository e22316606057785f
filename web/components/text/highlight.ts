/**
 * Syntax highlighting: strings, comments, numbers and keywords. One pattern for each language, applied from left to
 * right; unmatched text stays plain. Deliberately small: the samples are ours, and in a
 * model's reply colours only help the eye.
 */
export type Language =
  "bash" | "python" | "javascript" | "go" | "sql" | "json" | "yaml" | "toml" | "http" | "text";
export type TokenKind = "plain" | "string" | "comment" | "number" | "word";

export interface Token {
  kind: TokenKind;
  text: string;
}

export function highlight(code: string, language: Language): Token[] {
  const pattern = patterns[language];
  if (pattern === undefined) return [{ kind: "plain", text: code }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: "plain", text: code.slice(end, match.index) });
    tokens.push({ kind: kindOf(match.groups ?? {}), text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < code.length) tokens.push({ kind: "plain", text: code.slice(end) });
  return tokens;
}

/** The language of a Markdown fence, and what it is called; one that is not coloured under the name it was given. */
export function languageOf(fence: string): { language: Language; title: string } {
  const [language, title] = fences.get(fence.toLowerCase()) ?? ["text", fence.slice(0, 40)];
  return { language, title };
}

const bash: [Language, string] = ["bash", "Shell"];
const javascript: [Language, string] = ["javascript", "JavaScript"];
const typescript: [Language, string] = ["javascript", "TypeScript"];
const python: [Language, string] = ["python", "Python"];
const go: [Language, string] = ["go", "Go"];
const sql: [Language, string] = ["sql", "SQL"];
const yaml: [Language, string] = ["yaml", "YAML"];

const fences = new Map<string, [Language, string]>(
  Object.entries({
    ...{ bash, sh: bash, shell: bash, zsh: bash, console: bash },
    ...{ js: javascript, javascript, jsx: javascript, ts: typescript, typescript, tsx: typescript },
    ...{ py: python, python, python3: python, go, golang: go },
    ...{ sql, postgresql: sql, postgres: sql, mysql: sql, sqlite: sql, yaml, yml: yaml },
    ...{ json: ["json", "JSON"], toml: ["toml", "TOML"], http: ["http", "HTTP"], text: ["text", "Text"] },
  }),
);

function kindOf(groups: Record<string, string | undefined>): TokenKind {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  return "word";
}

const string = String.raw`(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\`(?:\\.|[^\`\\])*\`)`;
const slashComment = String.raw`(?<comment>\/\/.*$|\/\*[^]*?\*\/)`;
const number = String.raw`(?<number>\b\d+(?:\.\d+)?\b)`;
const words = (...list: string[]) => String.raw`(?<word>\b(?:${list.join("|")})\b)`;

const patterns: Partial<Record<Language, RegExp>> = {
  bash: new RegExp(
    String.raw`(?<comment>(?<=^|\s)#.*$)|${string}|(?<word>(?<=^|\s)--?[a-zA-Z][\w-]*|^(?:curl|npm|pip|export)\b)`,
    "gm",
  ),
  python: new RegExp(
    String.raw`(?<comment>#.*$)|${string}|${number}|${words("import", "from", "for", "in", "if", "as", "with", "print", "None", "True", "False", "def", "return", "not", "is", "try", "except", "and", "or", "class", "elif", "else", "while", "lambda", "yield", "async", "await", "raise", "finally", "pass", "break", "continue", "self")}`,
    "gm",
  ),
  javascript: new RegExp(
    String.raw`${slashComment}|${string}|${number}|${words("import", "from", "const", "let", "for", "of", "await", "new", "if", "else", "return", "async", "function", "true", "false", "null", "undefined", "throw", "try", "catch", "class", "extends", "export", "default", "while", "switch", "case", "break", "continue", "finally", "in", "typeof", "this", "type", "interface")}`,
    "gm",
  ),
  go: new RegExp(
    String.raw`${slashComment}|${string}|${number}|${words("package", "import", "func", "if", "else", "for", "range", "return", "nil", "var", "const", "type", "struct", "interface", "map", "chan", "go", "defer", "select", "switch", "case", "default", "break", "continue", "true", "false")}`,
    "gm",
  ),
  sql: new RegExp(
    String.raw`(?<comment>--.*$|\/\*[^]*?\*\/)|${string}|${number}|${words("select", "distinct", "from", "where", "and", "or", "not", "in", "is", "null", "like", "between", "exists", "join", "left", "right", "inner", "outer", "full", "cross", "on", "using", "group", "order", "by", "having", "limit", "offset", "union", "all", "as", "with", "insert", "into", "values", "update", "set", "delete", "create", "alter", "drop", "table", "index", "view", "primary", "foreign", "key", "references", "unique", "default", "constraint", "case", "when", "then", "else", "end", "asc", "desc", "begin", "commit", "rollback", "returning", "true", "false")}`,
    "gim",
  ),
  json: new RegExp(
    String.raw`(?<word>"(?:\\.|[^"\\])*"(?=\s*:)|\b(?:true|false|null)\b)|(?<string>"(?:\\.|[^"\\])*")|(?<number>-?\b\d+(?:\.\d+)?\b)`,
    "gm",
  ),
  yaml: new RegExp(
    String.raw`(?<comment>(?<=^|\s)#.*$)|(?<word>^[ \t-]*[\w$./-]+(?=:)|\b(?:true|false|null)\b)|${string}|${number}`,
    "gm",
  ),
  toml: new RegExp(
    String.raw`(?<comment>#.*$)|(?<word>^[\w.-]+(?= *=)|^\[.*\]|\b(?:true|false)\b)|${string}|${number}`,
    "gm",
  ),
  http: new RegExp(String.raw`(?<word>^[\w-]+(?=:))|(?<number>\b\d+\b)`, "gm"),
};
