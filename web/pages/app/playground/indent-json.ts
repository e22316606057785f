/**
 * JSON with a line for each value. The text is rearranged rather than parsed and written again, which would change
 * long numbers and drop repeated names: a call's arguments are shown as the model wrote them. Text that is not (yet)
 * JSON stays as it is.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  const tokens = text.match(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  let written = "";
  tokens.forEach((token, place) => {
    if (token === "}" || token === "]") {
      depth -= 1;
      if (!opens(tokens[place - 1])) written += line(depth);
    } else if (opens(tokens[place - 1])) written += line(depth);
    written += token;
    if (opens(token)) depth += 1;
    if (token === ",") written += line(depth);
    if (token === ":") written += " ";
  });
  return written;
}

const opens = (token: string | undefined): boolean => token === "{" || token === "[";

const line = (depth: number): string => `\n${"  ".repeat(depth)}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
