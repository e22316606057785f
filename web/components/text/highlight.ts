/**
 * Colours code for reading: strings, comments, numbers and words with a meaning. One pattern for each
 * language, tried from left to right; what no pattern takes stays plain. Small on purpose: the samples are ours.
 */
export type Language = "bash" | "python" | "javascript" | "go" | "json" | "yaml" | "toml" | "http" | "text";
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

function kindOf(groups: Record<string, string | undefined>): TokenKind {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  return "word";
}

const string = String.raw`(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\`(?:\\.|[^\`\\])*\`)`;
const number = String.raw`(?<number>\b\d+(?:\.\d+)?\b)`;
const words = (...list: string[]) => String.raw`(?<word>\b(?:${list.join("|")})\b)`;

const patterns: Partial<Record<Language, RegExp>> = {
  bash: new RegExp(
    String.raw`(?<comment>(?<=^|\s)#.*$)|${string}|(?<word>(?<=^|\s)--?[a-zA-Z][\w-]*|^(?:curl|npm|pip|export)\b)`,
    "gm",
  ),
  python: new RegExp(
    String.raw`(?<comment>#.*$)|${string}|${number}|${words("import", "from", "for", "in", "if", "as", "with", "print", "None", "True", "False", "def", "return", "not", "is", "try", "except")}`,
    "gm",
  ),
  javascript: new RegExp(
    String.raw`(?<comment>\/\/.*$)|${string}|${number}|${words("import", "from", "const", "let", "for", "of", "await", "new", "if", "else", "return", "async", "function", "true", "false", "null", "undefined", "throw", "try", "catch")}`,
    "gm",
  ),
  go: new RegExp(
    String.raw`(?<comment>\/\/.*$)|${string}|${number}|${words("package", "import", "func", "if", "for", "range", "return", "nil", "var", "type")}`,
    "gm",
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
