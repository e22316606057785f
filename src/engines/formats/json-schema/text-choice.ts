/**
 * One of many given texts, with shared prefixes written once. The native engine follows every
 * alternative that a text may still become: three thousand names after a quote would be three thousand at once,
 * for every token of the vocabulary. Here they are as many as there are different next characters.
 */
import { choice, sequence, text, type Expression } from "./gbnf.js";

/** Deeper branches share little; and what is made here is gone through by recursion. */
const mostBranches = 24;

export function oneOfTexts(texts: readonly string[]): Expression {
  return branches(
    [...new Set(texts)].map((value) => Array.from(value)),
    0,
    0,
  );
}

function branches(texts: readonly string[][], from: number, depth: number): Expression {
  const [first, ...others] = texts;
  if (first === undefined || others.length === 0 || depth === mostBranches) {
    return oneOrMore(texts.map((chars) => text(chars.slice(from).join(""))));
  }
  const shared = sharedEnd(texts, from);
  const beginning = text(first.slice(from, shared).join(""));
  const groups = new Map<string, string[][]>();
  for (const chars of texts) {
    const next = chars[shared] ?? "";
    const group = groups.get(next);
    if (group === undefined) groups.set(next, [chars]);
    else group.push(chars);
  }
  const rest = oneOrMore([...groups.values()].map((group) => branches(group, shared, depth + 1)));
  return shared === from ? rest : sequence(beginning, rest);
}

/** Where the first of them differs from the others, or ends. They are different, so it comes. */
function sharedEnd(texts: readonly string[][], from: number): number {
  let end = from;
  while (texts[0]?.[end] !== undefined && texts.every((chars) => chars[end] === texts[0]?.[end])) end += 1;
  return end;
}

const oneOrMore = (options: readonly Expression[]): Expression =>
  options.length === 1 && options[0] !== undefined ? options[0] : choice(...options);
