/**
 * A grammar as data, and its text in GBNF, the notation of the native engine.
 *
 * Rules may refer to one another, also in circles. A rule that can never be completed (a list that must contain
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

export const text = (value: string): Expression => ({ type: "text", text: value });
export const chars = (...ranges: CodeRange[]): Expression => ({ type: "chars", ranges });
export const sequence = (...parts: Expression[]): Expression => ({ type: "sequence", parts });
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

/** The native parser writes repetitions out, so they count as often as they repeat. */
const maxElements = 20_000;

export class GrammarTooLarge extends Error {}

export class Grammar {
  readonly #rules = new Map<string, Expression>();
  #announced = 0;

  /** Before anything is done with a part that may be large. Throws `GrammarTooLarge`. */
  announce(part: Expression): void {
    this.#announced += sizeOf(part);
    if (this.#announced > maxElements) throw new GrammarTooLarge();
  }

  /** The rule's content is made after it can be referred to. */
  define(name: string, make: () => Expression): Expression {
    if (!this.#rules.has(name)) {
      this.#rules.set(name, impossible);
      this.#rules.set(name, make());
    }
    return rule(name);
  }

  /** Null when nothing can follow the grammar. Throws `GrammarTooLarge`. */
  toText(root: Expression): string | null {
    const possible = this.#possibleRules();
    if (!canBe(root, possible)) return null;
    const size = [root, ...this.#rules.values()].reduce((sum, expression) => sum + sizeOf(expression), 0);
    if (size > maxElements) throw new GrammarTooLarge();
    const printer = new Printer(possible);
    printer.add("root", root);
    for (const [name, expression] of this.#rules) if (possible.has(name)) printer.add(name, expression);
    return printer.text;
  }

  /** Whether a rule can begin with itself, which the native parser refuses. */
  isLeftRecursive(): boolean {
    const edges = new Map([...this.#rules].map(([name, expression]) => [name, this.#beginnings(expression)]));
    const done = new Set<string>();
    const reaches = (name: string, above: ReadonlySet<string>): boolean => {
      if (above.has(name)) return true;
      if (done.has(name)) return false;
      const found = (edges.get(name) ?? []).some((next) => reaches(next, new Set([...above, name])));
      done.add(name);
      return found;
    };
    return [...edges.keys()].some((name) => reaches(name, new Set()));
  }

  /** The rules that a text of the expression can begin with. */
  #beginnings(expression: Expression): string[] {
    switch (expression.type) {
      case "rule":
        return [expression.name];
      case "choice":
        return expression.options.flatMap((option) => this.#beginnings(option));
      case "repeat":
        return this.#beginnings(expression.part);
      case "sequence": {
        const writes = expression.parts.findIndex((part) => !this.#mayBeEmpty(part, new Set()));
        const parts = writes < 0 ? expression.parts : expression.parts.slice(0, writes + 1);
        return parts.flatMap((part) => this.#beginnings(part));
      }
      case "text":
      case "chars":
        return [];
    }
  }

  #mayBeEmpty(expression: Expression, above: ReadonlySet<string>): boolean {
    switch (expression.type) {
      case "text":
        return expression.text === "";
      case "chars":
        return false;
      case "sequence":
        return expression.parts.every((part) => this.#mayBeEmpty(part, above));
      case "choice":
        return expression.options.some((option) => this.#mayBeEmpty(option, above));
      case "repeat":
        return expression.min === 0 || this.#mayBeEmpty(expression.part, above);
      case "rule": {
        const content = this.#rules.get(expression.name);
        if (content === undefined || above.has(expression.name)) return false;
        return this.#mayBeEmpty(content, new Set([...above, expression.name]));
      }
    }
  }

  /** Those that can be completed: found from the ones that need no other, until no more are. */
  #possibleRules(): Set<string> {
    const possible = new Set<string>();
    for (let before = -1; before !== possible.size;) {
      before = possible.size;
      for (const [name, expression] of this.#rules) if (canBe(expression, possible)) possible.add(name);
    }
    return possible;
  }
}

function canBe(expression: Expression, possible: ReadonlySet<string>): boolean {
  switch (expression.type) {
    case "text":
      return true;
    case "chars":
      return expression.ranges.length > 0;
    case "sequence":
      return expression.parts.every((part) => canBe(part, possible));
    case "choice":
      return expression.options.some((option) => canBe(option, possible));
    case "repeat":
      return expression.min === 0 || canBe(expression.part, possible);
    case "rule":
      return possible.has(expression.name);
  }
}

function sizeOf(expression: Expression): number {
  switch (expression.type) {
    case "text":
      return expression.text.length + 1;
    case "chars":
      return expression.ranges.length;
    case "sequence":
      return expression.parts.reduce((sum, part) => sum + sizeOf(part), 1);
    case "choice":
      return expression.options.reduce((sum, option) => sum + sizeOf(option), 1);
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
        return `"${escapeText(expression.text)}"`;
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

function escapeText(value: string): string {
  return Array.from(value, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code >= 0x20 && code < 0x7f && char !== '"' && char !== "\\" ? char : escapeCode(code);
  }).join("");
}

function printRange([first, last]: CodeRange): string {
  return first === last ? escapeCode(first) : `${escapeCode(first)}-${escapeCode(last)}`;
}

function escapeCode(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
