/**
 * One of many given texts, with shared prefixes written once. The native engine follows every
 * alternative that a text may still become: three thousand names after a quote would be three thousand at once,
 * for every token of the vocabulary. Here they are as many as there are different next characters.
 */
import { choice, sequence, text, type Expression } from "./gbnf.js";

/** Deeper branches share little; and what is made here is gone through by recursion. */
const maxBranches = 24;

interface Branch {
  chars: readonly string[];
  rest: Expression;
}

export function oneOfTexts(texts: readonly string[]): Expression {
  return oneOfNames(texts.map((name) => ({ name, rest: text("") })));
}

/** One of several names, each with what follows it. Of equal names the first counts. */
export function oneOfNames(entries: readonly { name: string; rest: Expression }[]): Expression {
  const byName = new Map([...entries].reverse().map(({ name, rest }) => [name, rest]));
  const names = [...new Set(entries.map(({ name }) => name))];
  return branches(
    names.map((name) => ({ chars: Array.from(name), rest: byName.get(name) ?? text("") })),
    0,
    0,
  );
}

function branches(all: readonly Branch[], from: number, depth: number): Expression {
  const [first, ...others] = all;
  if (first === undefined || others.length === 0 || depth === maxBranches) {
    return oneOrMore(all.map(({ chars, rest }) => followed(chars.slice(from), rest)));
  }
  const shared = sharedEnd(all, from);
  const groups = new Map<string, Branch[]>();
  for (const branch of all) {
    const next = branch.chars[shared] ?? "";
    const group = groups.get(next);
    if (group === undefined) groups.set(next, [branch]);
    else group.push(branch);
  }
  const rest = oneOrMore([...groups.values()].map((group) => branches(group, shared, depth + 1)));
  return shared === from ? rest : followed(first.chars.slice(from, shared), rest);
}

/** Where the first of them differs from the others, or ends. They are different, so it comes. */
function sharedEnd(all: readonly Branch[], from: number): number {
  const first = all[0]?.chars ?? [];
  let end = from;
  while (first[end] !== undefined && all.every(({ chars }) => chars[end] === first[end])) end += 1;
  return end;
}

function followed(chars: readonly string[], rest: Expression): Expression {
  const beginning = text(chars.join(""));
  return rest.type === "text" && rest.text === "" ? beginning : sequence(beginning, rest);
}

const oneOrMore = (options: readonly Expression[]): Expression =>
  options.length === 1 && options[0] !== undefined ? options[0] : choice(...options);
