/**
 * Random texts that a grammar in GBNF allows. Past a length the shortest way to an end is taken, so that rules that
 * refer to themselves end.
 */
import { uniformNumbers } from "./uniform-numbers.js";

type Node =
  | { type: "text"; text: string }
  | { type: "chars"; ranges: readonly (readonly [number, number])[]; isNegated: boolean }
  | { type: "rule"; name: string }
  | { type: "sequence"; parts: readonly Node[] }
  | { type: "choice"; options: readonly Node[] }
  | { type: "repeat"; part: Node; min: number; max: number };

export interface Walk {
  text: string;
  /** The texts of the rules that were asked for, in the order in which they began. */
  rules: { name: string; text: string }[];
}

export interface WalkOptions {
  /** Past this many characters the shortest way to an end is taken. */
  length?: number;
  /** The rules whose texts are reported. */
  reports?: RegExp;
}

export class GrammarWalker {
  readonly #rules: ReadonlyMap<string, Node>;
  readonly #shortest: ReadonlyMap<string, number>;

  constructor(gbnf: string) {
    this.#rules = new Parser(gbnf).rules();
    this.#shortest = shortestTexts(this.#rules);
  }

  text(seed: number): string {
    return this.walk(seed).text;
  }

  walk(seed: number, { length = 200, reports = /^$/ }: WalkOptions = {}): Walk {
    const random = uniformNumbers(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const walk: Walk = { text: "", rules: [] };
    const visit = (node: Node): void => {
      switch (node.type) {
        case "text":
          walk.text += node.text;
          return;
        case "chars":
          walk.text += charOf(node, below);
          return;
        case "sequence":
          for (const part of node.parts) visit(part);
          return;
        case "rule": {
          const report = { name: node.name, text: "" };
          if (reports.test(node.name)) walk.rules.push(report);
          const start = walk.text.length;
          visit(ruleNamed(this.#rules, node.name));
          report.text = walk.text.slice(start);
          return;
        }
        case "choice": {
          const isLong = walk.text.length > length;
          const chosen = isLong ? this.#cheapest(node.options) : node.options[below(node.options.length)];
          if (chosen !== undefined) visit(chosen);
          return;
        }
        case "repeat": {
          const more = walk.text.length > length ? 0 : below(Math.min(node.max - node.min, 4) + 1);
          for (let count = 0; count < node.min + more; count++) visit(node.part);
        }
      }
    };
    visit({ type: "rule", name: "root" });
    return walk;
  }

  #cheapest(options: readonly Node[]): Node | undefined {
    const costs = options.map((option) => costOf(option, this.#shortest));
    return options[costs.indexOf(Math.min(...costs))];
  }
}

/** Characters that tend to break things are as likely as all others together. */
const awkward = Array.from('<>|[]{}"\\\n`:,/ \té語😀｜▁', (char) => char.codePointAt(0) ?? 0);

function charOf(node: Extract<Node, { type: "chars" }>, below: (limit: number) => number): string {
  const matches = (code: number) =>
    node.ranges.some(([first, last]) => code >= first && code <= last) !== node.isNegated;
  const candidates = awkward.filter(matches);
  if (candidates.length > 0 && below(2) === 0)
    return String.fromCodePoint(candidates[below(candidates.length)] ?? 0);
  if (!node.isNegated) {
    const [first, last] = node.ranges[below(node.ranges.length)] ?? [0x61, 0x61];
    return String.fromCodePoint(first + below(last - first + 1));
  }
  const letters = Array.from("abcxyz019", (char) => char.charCodeAt(0)).filter(matches);
  return String.fromCodePoint(letters[below(letters.length)] ?? 0x7e);
}

function ruleNamed(rules: ReadonlyMap<string, Node>, name: string): Node {
  const rule = rules.get(name);
  if (rule === undefined) throw new Error(`the grammar has no rule ${name}`);
  return rule;
}

/** How short a text of each rule can be: found by going over all rules until nothing gets shorter. */
function shortestTexts(rules: ReadonlyMap<string, Node>): ReadonlyMap<string, number> {
  const shortest = new Map([...rules.keys()].map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, node] of rules) {
      const cost = costOf(node, shortest);
      if (cost >= (shortest.get(name) ?? 0)) continue;
      shortest.set(name, cost);
      changed = true;
    }
  }
  return shortest;
}

function costOf(node: Node, shortest: ReadonlyMap<string, number>): number {
  switch (node.type) {
    case "text":
      return node.text.length;
    case "chars":
      return 1;
    case "rule":
      return shortest.get(node.name) ?? Number.POSITIVE_INFINITY;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + costOf(part, shortest), 0);
    case "choice":
      return Math.min(...node.options.map((option) => costOf(option, shortest)));
    case "repeat":
      return node.min === 0 ? 0 : node.min * costOf(node.part, shortest);
  }
}

/** Names, literals, classes, groups, alternatives and repetitions: all that our grammars use. */
class Parser {
  #rest: string;

  constructor(grammar: string) {
    this.#rest = grammar;
  }

  rules(): Map<string, Node> {
    const rules = new Map<string, Node>();
    while (this.#next() !== "") {
      const name = this.#match(/^([a-zA-Z0-9-]+)\s*::=/);
      if (name === null) throw new Error(`no rule begins at: ${this.#rest.slice(0, 40)}`);
      if (rules.has(name)) throw new Error(`two rules are called ${name}`);
      rules.set(name, this.#choice());
    }
    for (const node of rules.values()) this.#check(node, rules);
    return rules;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#next().startsWith("|")) {
      this.#rest = this.#rest.slice(1);
      options.push(this.#sequence());
    }
    return { type: "choice", options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (!/^(?:$|[|)]|[a-zA-Z0-9-]+\s*::=)/.test(this.#next())) {
      parts.push(this.#repeated(this.#single()));
    }
    return { type: "sequence", parts };
  }

  #repeated(part: Node): Node {
    const sign = this.#match(/^([?*+])/);
    if (sign !== null)
      return { type: "repeat", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : 1000 };
    const bounds = this.#match(/^\{([0-9]+(?:,[0-9]*)?)\}/);
    if (bounds === null) return part;
    const [min = "", max = min] = bounds.split(",");
    return { type: "repeat", part, min: Number(min), max: max === "" ? 1000 : Number(max) };
  }

  #single(): Node {
    if (this.#rest.startsWith("(")) {
      this.#rest = this.#rest.slice(1);
      const inner = this.#choice();
      if (!this.#rest.startsWith(")")) throw new Error(`a group does not end at: ${this.#rest.slice(0, 40)}`);
      this.#rest = this.#rest.slice(1);
      return inner;
    }
    const text = this.#match(/^"((?:[^"\\]|\\.)*)"/);
    if (text !== null) return { type: "text", text: String.fromCodePoint(...codesIn(text)) };
    const set = this.#match(/^\[((?:[^\]\\]|\\.)*)\]/);
    if (set !== null) return classOf(set);
    const name = this.#match(/^([a-zA-Z0-9-]+)/);
    if (name === null) throw new Error(`nothing is known that begins like: ${this.#rest.slice(0, 40)}`);
    return { type: "rule", name };
  }

  #check(node: Node, rules: ReadonlyMap<string, Node>): void {
    if (node.type === "rule") ruleNamed(rules, node.name);
    else if (node.type === "repeat") this.#check(node.part, rules);
    else if (node.type === "sequence") for (const part of node.parts) this.#check(part, rules);
    else if (node.type === "choice") for (const option of node.options) this.#check(option, rules);
  }

  /** What comes after whitespace and comments. */
  #next(): string {
    this.#rest = this.#rest.replace(/^(?:\s|#[^\n]*\n)+/, "");
    return this.#rest;
  }

  #match(pattern: RegExp): string | null {
    const found = pattern.exec(this.#rest);
    if (found === null) return null;
    this.#rest = this.#rest.slice(found[0].length);
    return found[1] ?? "";
  }
}

function classOf(set: string): Node {
  const isNegated = set.startsWith("^");
  const items = tokensIn(isNegated ? set.slice(1) : set);
  const ranges: [number, number][] = [];
  for (let index = 0; index < items.length; index++) {
    const first = codeOf(items[index] ?? "");
    const isRange = items[index + 1] === "-" && items[index + 2] !== undefined;
    ranges.push([first, isRange ? codeOf(items[index + 2] ?? "") : first]);
    if (isRange) index += 2;
  }
  return { type: "chars", ranges, isNegated };
}

const codesIn = (text: string): number[] => tokensIn(text).map(codeOf);
const tokensIn = (text: string): string[] =>
  text.match(/\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|[^]/gu) ?? [];

function codeOf(token: string): number {
  if (/^\\[xuU]/.test(token)) return Number.parseInt(token.slice(2), 16);
  const short = { "\\n": 10, "\\t": 9, "\\r": 13 }[token];
  return short ?? token.replace(/^\\/, "").codePointAt(0) ?? 0;
}
