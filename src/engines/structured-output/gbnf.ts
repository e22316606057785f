/**
 * A grammar as data, and its text in GBNF, the notation of the native engine.
 *
 * Rules may refer to one another, also recursively. A rule that can never be completed (a list that must contain
 * itself) is found when the text is made: alternatives that need it are left out, and when the root itself
 * cannot be completed there is no text.
 */
export type Expression =
  | { type: "text"; text: string }
  /** One character of these ranges of code points, in ascending order. */
  | { type: "chars"; ranges: readonly CodeRange[] }
  | { type: "sequence"; parts: readonly Expression[] }
  | { type: "choice"; options: readonly Expression[] }
  /** `max` undefined: any number. */
  | { type: "repeat"; part: Expression; min: number; max: number | undefined }
  | { type: "rule"; name: string };

export type CodeRange = readonly [first: number, last: number];
export const one = (char: string): CodeRange => [char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0];

export const text = (value: string): Expression => ({ type: "text", text: value });
export const chars = (...ranges: CodeRange[]): Expression => ({ type: "chars", ranges });
export const sequence = (...parts: Expression[]): Expression => ({
  type: "sequence",
  parts: parts.filter((part) => part.type !== "text" || part.text !== ""),
});
export const choice = (...options: Expression[]): Expression => ({ type: "choice", options });
export const repeat = (part: Expression, min: number, max?: number): Expression => ({
  type: "repeat",
  part,
  min,
  max,
});
export const optional = (part: Expression): Expression => repeat(part, 0, 1);
export const rule = (name: string): Expression => ({ type: "rule", name });
/** Matches nothing at all, not even the empty text. */
export const impossible: Expression = { type: "choice", options: [] };

export class GrammarTooLarge extends Error {}

export interface GrammarLimits {
  /** The native parser writes repetitions out, so they count as often as they repeat. */
  maxElements?: number;
  /** Called before steps are taken; may throw. */
  spend?: (steps: number) => void;
}

export class Grammar {
  readonly #rules = new Map<string, Expression>();
  /** The prefixes of other grammars' rules, by their text. */
  readonly #embedded = new Map<string, string>();
  readonly #maxElements: number;
  readonly #spend: (steps: number) => void;
  #size = 0;
  #names = 0;

  constructor({ maxElements = 20_000, spend = () => undefined }: GrammarLimits = {}) {
    this.#maxElements = maxElements;
    this.#spend = spend;
  }

  /** Before parts are made that have so many elements at least. Throws `GrammarTooLarge`. */
  requireRoom(elements: number): void {
    if (this.#size + elements > this.#maxElements) throw new GrammarTooLarge();
  }

  /** For rules that no other name tells apart. */
  freshName(kind: string): string {
    return `${kind}-${this.#names++}`;
  }

  /** The rule's content is made after it can be referred to. Throws `GrammarTooLarge` as soon as all are. */
  define(name: string, make: () => Expression): Expression {
    if (!this.#rules.has(name)) {
      this.#rules.set(name, impossible);
      const content = make();
      const size = sizeOf(content);
      this.#spend(Math.min(size, this.#maxElements));
      this.#size += size;
      if (this.#size > this.#maxElements) throw new GrammarTooLarge();
      this.#rules.set(name, content);
    }
    return rule(name);
  }

  /** A grammar that was printed before, as a part of this one: its rules get a prefix. */
  embed(gbnf: string): Expression {
    const prefix = this.#embedded.get(gbnf) ?? `t${this.#embedded.size}-`;
    this.#embedded.set(gbnf, prefix);
    return rule(`${prefix}root`);
  }

  /** Null when nothing can follow the grammar. Throws `GrammarTooLarge`. */
  toText(root: Expression): string | null {
    this.#spend(this.#size);
    const known = Array.from(this.#embedded.values(), (prefix) => `${prefix}root`);
    const possible = rulesThat(canBe, this.#rules, known);
    if (!canBe(root, possible)) return null;
    if (this.#size + sizeOf(root) > this.#maxElements) throw new GrammarTooLarge();
    const printer = new Printer(possible);
    printer.add("root", root);
    for (const [name, expression] of this.#rules) if (possible.has(name)) printer.add(name, expression);
    return printer.text + Array.from(this.#embedded, ([gbnf, prefix]) => withPrefix(gbnf, prefix)).join("");
  }

  /** Whether a rule can begin with itself, which the native parser refuses. */
  isLeftRecursive(): boolean {
    this.#spend(this.#size);
    const empty = rulesThat(mayBeEmpty, this.#rules);
    const begun = [...this.#rules].map(([name, content]): [string, Expression] => {
      const first = new Set(beginnings(content, empty).filter((one) => this.#rules.has(one)));
      return [name, sequence(...Array.from(first, rule))];
    });
    // A rule that only begins with rules that can begin is on no cycle.
    return rulesThat(canBe, new Map(begun)).size < this.#rules.size;
  }
}

/** What holds for an expression when it is known to hold for these rules. More rules never make it untrue. */
type Property = (expression: Expression, rules: ReadonlySet<string>) => boolean;

/**
 * The rules for which the property holds: found from the ones that need no other. A rule is looked at again only
 * when one that it mentions was found, so that a chain of a thousand takes a thousand looks, in whatever order.
 */
function rulesThat(
  holds: Property,
  rules: ReadonlyMap<string, Expression>,
  known: readonly string[] = [],
): Set<string> {
  const users = new Map<string, string[]>();
  for (const [name, content] of rules) {
    for (const mentioned of addMentioned(content, new Set())) {
      const known = users.get(mentioned);
      if (known === undefined) users.set(mentioned, [name]);
      else known.push(name);
    }
  }
  const found = new Set(known);
  const open = [...rules.keys()];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const content = rules.get(name);
    if (content === undefined || found.has(name) || !holds(content, found)) continue;
    found.add(name);
    open.push(...(users.get(name) ?? []));
  }
  return found;
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case "sequence":
      return expression.parts;
    case "choice":
      return expression.options;
    case "repeat":
      return [expression.part];
    case "text":
    case "chars":
    case "rule":
      return [];
  }
}

function addMentioned(expression: Expression, to: Set<string>): Set<string> {
  if (expression.type === "rule") to.add(expression.name);
  for (const part of partsOf(expression)) addMentioned(part, to);
  return to;
}

/** The rules that a text of the expression can begin with. */
function beginnings(expression: Expression, empty: ReadonlySet<string>): string[] {
  switch (expression.type) {
    case "rule":
      return [expression.name];
    case "choice":
      return expression.options.flatMap((option) => beginnings(option, empty));
    case "repeat":
      return beginnings(expression.part, empty);
    case "sequence": {
      const writes = expression.parts.findIndex((part) => !mayBeEmpty(part, empty));
      const parts = writes < 0 ? expression.parts : expression.parts.slice(0, writes + 1);
      return parts.flatMap((part) => beginnings(part, empty));
    }
    case "text":
    case "chars":
      return [];
  }
}

/** What holds for an expression by what holds for the texts and characters in it. */
function propertyOf(holdsFor: (leaf: Extract<Expression, { type: "text" | "chars" }>) => boolean): Property {
  return function holds(expression, rules): boolean {
    switch (expression.type) {
      case "text":
      case "chars":
        return holdsFor(expression);
      case "sequence":
        return expression.parts.every((part) => holds(part, rules));
      case "choice":
        return expression.options.some((option) => holds(option, rules));
      case "repeat":
        return expression.min === 0 || holds(expression.part, rules);
      case "rule":
        return rules.has(expression.name);
    }
  };
}

const mayBeEmpty = propertyOf((leaf) => leaf.type === "text" && leaf.text === "");
const canBe = propertyOf((leaf) => leaf.type === "text" || leaf.ranges.length > 0);

export function sizeOf(expression: Expression): number {
  switch (expression.type) {
    case "text":
      return expression.text.length + 1;
    case "chars":
      return expression.ranges.length;
    case "sequence":
    case "choice":
      return partsOf(expression).reduce((sum, part) => sum + sizeOf(part), 1);
    case "repeat":
      return 1 + sizeOf(expression.part) * Math.max(1, expression.max ?? expression.min);
    case "rule":
      return 1;
  }
}

class Printer {
  text = "";
  #parts = 0;

  constructor(private readonly possible: ReadonlySet<string>) {}

  add(name: string, expression: Expression): void {
    const content = this.#print(expression);
    this.text += `${name} ::= ${content}\n`;
  }

  #print(expression: Expression): string {
    switch (expression.type) {
      case "text":
        return literal(expression.text);
      case "chars":
        return `[${expression.ranges.map(printRange).join("")}]`;
      case "sequence": {
        const { parts } = expression;
        return parts.length === 0 ? '""' : `(${parts.map((part) => this.#print(part)).join(" ")})`;
      }
      case "choice": {
        const options = expression.options.filter((option) => canBe(option, this.possible));
        return `(${options.map((option) => this.#print(option)).join(" | ")})`;
      }
      case "repeat":
        return this.#printRepeat(expression);
      case "rule":
        return expression.name;
    }
  }

  #printRepeat({ part, min, max }: Extract<Expression, { type: "repeat" }>): string {
    // Nothing but the empty text is left of something optional that cannot be.
    if (!canBe(part, this.possible) || max === 0) return '""';
    const bounds = `{${min},${max ?? ""}}`;
    if (part.type === "rule" || part.type === "chars" || max === 1) return this.#print(part) + bounds;
    // The native parser limits what a repetition is written out to: a rule counts once, whatever is in it.
    const name = `part-${this.#parts++}`;
    this.add(name, part);
    return name + bounds;
  }
}

export function literal(value: string): string {
  if (/^[ !#-[\]-~]*$/.test(value)) return `"${value}"`;
  const content = Array.from(value, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code >= 0x20 && code < 0x7f && char !== '"' && char !== "\\" ? char : escapeCode(code);
  });
  return `"${content.join("")}"`;
}

/** Renames the rules of a printed grammar. Literals, character classes, repetitions and comments are passed over. */
function withPrefix(gbnf: string, prefix: string): string {
  const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{[0-9, ]*\}|#[^\n]*|([a-zA-Z][a-zA-Z0-9-]*)/g;
  return gbnf.replace(token, (whole, name: string | undefined) =>
    name === undefined ? whole : prefix + name,
  );
}

function printRange([first, last]: CodeRange): string {
  return first === last ? escapeCode(first) : `${escapeCode(first)}-${escapeCode(last)}`;
}

function escapeCode(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
