/** A cut in a text, and what the editors of every format need to know of the text around it. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

export const insertion = (at: number, text: string): Edit => ({ start: at, end: at, text });

export const newlineOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

/** Just behind the line's end, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** The spaces and tabs that the line begins with. */
export function marginAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? "";
}

/** Whole lines at a place between lines: after a last line without an end, one is put before them. */
export function insertLines(text: string, at: number, lines: readonly string[]): Edit {
  const newline = newlineOf(text);
  const isBetween = at === 0 || text[at - 1] === "\n";
  return insertion(at, (isBetween ? "" : newline) + lines.map((line) => line + newline).join(""));
}

export const lineNumber = (text: string, at: number): number => text.slice(0, at).split("\n").length;
