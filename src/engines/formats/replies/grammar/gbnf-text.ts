/**
 * Pieces of GBNF text: literals, rules of one grammar inside another, and text up to a marker.
 */

export function literal(text: string): string {
  const content = Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const isPlain = code >= 0x20 && code < 0x7f && char !== '"' && char !== "\\";
    return isPlain ? char : escaped(code);
  });
  return `"${content.join("")}"`;
}

export const optional = (expression: string): string => `(${expression})?`;
export const oneOf = (options: readonly string[]): string => `(${options.join(" | ")})`;
/** Empty literals are left out, since the native parser has no use for them. */
export const sequence = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== "" && part !== '""').join(" ") || '""';

/**
 * One of several names, each with what follows it. Beginnings that names share are written once: the native engine
 * follows every alternative that a text may still become, for every token of the vocabulary.
 */
export function oneOfNames(entries: readonly { name: string; rest: string }[]): string {
  const [first] = entries;
  if (first === undefined || entries.length === 1 || entries.every(({ name }) => name === first.name)) {
    return sequence(literal(first?.name ?? ""), first?.rest ?? "");
  }
  let shared = 0;
  while (entries.every(({ name }) => name[shared] !== undefined && name[shared] === first.name[shared]))
    shared += 1;
  const next = new Set(entries.map(({ name }) => name[shared]));
  const options = [...next].map((char) => {
    const group = entries.filter(({ name }) => name[shared] === char);
    return oneOfNames(group.map(({ name, rest }) => ({ name: name.slice(shared), rest })));
  });
  return sequence(literal(first.name.slice(0, shared)), oneOf(options));
}

/** Whitespace as models lay JSON out: none, a space, or a line break with some indentation. */
export const spaceRule = 'space ::= (" " | "\\n" " "{0,8})?';

/** The same grammar with a prefix before the names of its rules, so that it may stand beside others. */
export function withPrefix(grammar: string, prefix: string): string {
  // Literals, character classes, repetitions and comments are passed over.
  const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{[0-9, ]*\}|#[^\n]*|([a-zA-Z][a-zA-Z0-9-]*)/g;
  return grammar.replace(token, (whole, name: string | undefined) =>
    name === undefined ? whole : prefix + name,
  );
}

/**
 * Rules for any text that ends with the first occurrence of the marker, which is included. One rule for each state of
 * the automaton that looks for the marker; each ends with the next, so following them takes no memory.
 */
export function textUpTo(name: string, marker: string): string[] {
  const chars = Array.from(marker);
  const stateName = (state: number) => (state === 0 ? name : `${name}-${state}`);
  return chars.map((expected, state) => {
    const known = new Map([[expected, state + 1]]);
    for (const char of new Set(chars.slice(0, state))) {
      const next = nextState(chars, state, char);
      if (next > 0 && !known.has(char)) known.set(char, next);
    }
    const options = [...known].map(([char, next]) =>
      next === chars.length ? literal(char) : `${literal(char)} ${stateName(next)}`,
    );
    const others = `[^${[...known.keys()].map((char) => escaped(char.codePointAt(0) ?? 0)).join("")}]`;
    return `${stateName(state)} ::= ${options.join(" | ")} | ${others} ${name}`;
  });
}

/** How much of the marker the text ends with, after `state` characters of it and this one. */
function nextState(marker: readonly string[], state: number, char: string): number {
  const text = [...marker.slice(0, state), char];
  for (let length = Math.min(text.length, marker.length); length > 0; length--) {
    if (text.slice(-length).every((one, index) => one === marker[index])) return length;
  }
  return 0;
}

function escaped(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
