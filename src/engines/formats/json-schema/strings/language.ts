/**
 * What texts a pattern allows, with two things that no grammar rule can say: texts that are subject to several
 * patterns at once, and texts that are not subject to one. They are turned into rules by taking derivatives: what may
 * still follow once a character is written is a language again, and there are finitely many of them. Each becomes a
 * rule with one alternative for each different continuation, so that following them never leaves two ways open.
 */
import {
  chars,
  choice,
  rule,
  sequence,
  text,
  type CodeRange,
  type Expression,
  type Grammar,
} from "../gbnf.js";
import type { Work } from "../work.js";

export type Language =
  | Exclude<Expression, { type: "sequence" | "choice" | "repeat" }>
  | { type: "sequence"; parts: readonly Language[] }
  | { type: "choice"; options: readonly Language[] }
  | { type: "repeat"; part: Language; min: number; max: number | undefined }
  | { type: "both"; parts: readonly Language[] }
  | { type: "except"; part: Language };

/** The same as an expression, or null where only rules of its own can say it. */
export function asExpression(language: Language): Expression | null {
  switch (language.type) {
    case "text":
    case "chars":
    case "rule":
      return language;
    case "sequence": {
      const parts = allOrNull(language.parts.map(asExpression));
      return parts === null ? null : { ...language, parts };
    }
    case "choice": {
      const options = allOrNull(language.options.map(asExpression));
      return options === null ? null : { ...language, options };
    }
    case "repeat": {
      const part = asExpression(language.part);
      return part === null ? null : { ...language, part };
    }
    case "both":
    case "except":
      return null;
  }
}

const allOrNull = <T>(items: readonly (T | null)[]): T[] | null =>
  items.every((item) => item !== null) ? [...items] : null;

/** A fifth of the largest grammar: more is not worth what it enforces. */
const mostElements = 4_000;
const mostStates = 400;
const mostNodes = 20_000;

/** As rules whose names begin with this one; null where it would take too many. */
export function asRules(
  language: Language,
  name: string,
  grammar: Grammar,
  allowance: Allowance,
): Expression | null {
  const nodes = new Nodes(allowance);
  let states: Map<Node, readonly Transition[]>;
  let start: Node;
  try {
    start = nodes.of(language);
    states = statesFrom(start, nodes);
  } catch (error) {
    if (error instanceof TooManyStates) return null;
    throw error;
  }
  const names = new Map([...states.keys()].map((node, index) => [node, `${name}-${index}`]));
  const nameOf = (node: Node): string => names.get(node) ?? name;
  for (const [node, transitions] of states) {
    grammar.define(nameOf(node), () =>
      choice(
        ...(node.mayBeEmpty ? [text("")] : []),
        ...transitions.map(({ ranges, to }) => sequence(chars(...ranges), rule(nameOf(to)))),
      ),
    );
  }
  return rule(nameOf(start));
}

class TooManyStates extends Error {}

/** The steps that all patterns of a schema may take here. What is left without is enforced in other ways, or not. */
export class Allowance {
  #left = 1_000_000;

  constructor(private readonly work: Work) {}

  readonly spend = (steps: number): void => {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManyStates();
    this.work.spend(steps);
  };
}

interface Transition {
  ranges: readonly CodeRange[];
  to: Node;
}

function statesFrom(start: Node, nodes: Nodes): Map<Node, readonly Transition[]> {
  const states = new Map<Node, readonly Transition[]>();
  const open = [start];
  let elements = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (states.has(node)) continue;
    const transitions = nodes.transitions(node);
    states.set(node, transitions);
    elements += transitions.reduce((sum, { ranges }) => sum + ranges.length + 2, 2);
    if (states.size > mostStates || elements > mostElements) throw new TooManyStates();
    for (const { to } of transitions) open.push(to);
  }
  return states;
}

const lastCode = 0x10ffff;

/** The same language is the same node, as far as it can be told by its form. */
interface Node {
  id: number;
  mayBeEmpty: boolean;
  shape: Shape;
}

type Shape =
  | { type: "empty" | "never" }
  | { type: "chars"; ranges: readonly CodeRange[] }
  | { type: "then"; first: Node; rest: Node }
  | { type: "either" | "both"; parts: readonly Node[] }
  | { type: "except"; part: Node }
  | { type: "repeat"; part: Node; min: number; max: number | undefined };

class Nodes {
  readonly #known = new Map<string, Node>();
  readonly #derived = new Map<string, Node>();
  readonly #never = this.#node("never", { type: "never" }, false);
  readonly #empty = this.#node("empty", { type: "empty" }, true);
  readonly #anything = this.#except(this.#never);

  constructor(private readonly allowance: Allowance) {}

  of(language: Language): Node {
    switch (language.type) {
      case "text":
        return Array.from(language.text).reduceRight((rest, char) => {
          const code = char.codePointAt(0) ?? 0;
          return this.#then(this.#chars([[code, code]]), rest);
        }, this.#empty);
      case "chars":
        return this.#chars(language.ranges);
      case "sequence":
        return language.parts.reduceRight((rest, part) => this.#then(this.of(part), rest), this.#empty);
      case "choice":
        return this.#either(language.options.map((option) => this.of(option)));
      case "repeat":
        return this.#repeat(this.of(language.part), language.min, language.max);
      case "both":
        return this.#both(language.parts.map((part) => this.of(part)));
      case "except":
        return this.#except(this.of(language.part));
      case "rule":
        throw new Error("A pattern has no rules.");
    }
  }

  transitions(node: Node): Transition[] {
    const starts = new Set<number>([0]);
    this.#addBoundaries(node, starts);
    const sorted = [...starts].filter((code) => code <= lastCode).sort((a, b) => a - b);
    const byTarget = new Map<Node, CodeRange[]>();
    sorted.forEach((first, index) => {
      const to = this.#after(node, first);
      if (to === this.#never) return;
      const last = (sorted[index + 1] ?? lastCode + 1) - 1;
      const ranges = byTarget.get(to) ?? [];
      const before = ranges.at(-1);
      if (before !== undefined && before[1] === first - 1) ranges[ranges.length - 1] = [before[0], last];
      else ranges.push([first, last]);
      byTarget.set(to, ranges);
    });
    return [...byTarget].map(([to, ranges]) => ({ ranges, to }));
  }

  /** Where the next character begins to make a difference. */
  #addBoundaries({ shape }: Node, to: Set<number>): void {
    this.allowance.spend(1);
    switch (shape.type) {
      case "chars":
        for (const [first, last] of shape.ranges) to.add(first).add(last + 1);
        return;
      case "then":
        this.#addBoundaries(shape.first, to);
        if (shape.first.mayBeEmpty) this.#addBoundaries(shape.rest, to);
        return;
      case "either":
      case "both":
        for (const part of shape.parts) this.#addBoundaries(part, to);
        return;
      case "except":
      case "repeat":
        this.#addBoundaries(shape.part, to);
        return;
      case "empty":
      case "never":
    }
  }

  /** What may follow once this character is written. */
  #after(node: Node, code: number): Node {
    const key = `${node.id} ${code}`;
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    this.allowance.spend(4);
    const derived = this.#derive(node.shape, code);
    this.#derived.set(key, derived);
    if (this.#derived.size > 10 * mostNodes) throw new TooManyStates();
    return derived;
  }

  #derive(shape: Shape, code: number): Node {
    switch (shape.type) {
      case "empty":
      case "never":
        return this.#never;
      case "chars":
        return shape.ranges.some(([first, last]) => first <= code && code <= last)
          ? this.#empty
          : this.#never;
      case "then": {
        const first = this.#then(this.#after(shape.first, code), shape.rest);
        return shape.first.mayBeEmpty ? this.#either([first, this.#after(shape.rest, code)]) : first;
      }
      case "either":
        return this.#either(shape.parts.map((part) => this.#after(part, code)));
      case "both":
        return this.#both(shape.parts.map((part) => this.#after(part, code)));
      case "except":
        return this.#except(this.#after(shape.part, code));
      case "repeat": {
        const { part, min, max } = shape;
        const rest = this.#repeat(part, Math.max(0, min - 1), max === undefined ? undefined : max - 1);
        return this.#then(this.#after(part, code), rest);
      }
    }
  }

  #chars(ranges: readonly CodeRange[]): Node {
    if (ranges.length === 0) return this.#never;
    return this.#node(`chars ${ranges.join(" ")}`, { type: "chars", ranges }, false);
  }

  #then(first: Node, rest: Node): Node {
    if (first === this.#never || rest === this.#never) return this.#never;
    if (first === this.#empty) return rest;
    if (rest === this.#empty) return first;
    if (first.shape.type === "then") return this.#then(first.shape.first, this.#then(first.shape.rest, rest));
    const shape = { type: "then", first, rest } as const;
    return this.#node(`then ${first.id} ${rest.id}`, shape, first.mayBeEmpty && rest.mayBeEmpty);
  }

  #either(given: readonly Node[]): Node {
    const parts = this.#flat(given, "either").filter((part) => part !== this.#never);
    if (parts.includes(this.#anything)) return this.#anything;
    const [first, second] = parts;
    if (first === undefined) return this.#never;
    if (second === undefined) return first;
    const isEmpty = parts.some(({ mayBeEmpty }) => mayBeEmpty);
    return this.#node(`either ${ids(parts)}`, { type: "either", parts }, isEmpty);
  }

  #both(given: readonly Node[]): Node {
    const parts = this.#flat(given, "both").filter((part) => part !== this.#anything);
    if (parts.includes(this.#never)) return this.#never;
    const [first, second] = parts;
    if (first === undefined) return this.#anything;
    if (second === undefined) return first;
    const isEmpty = parts.every(({ mayBeEmpty }) => mayBeEmpty);
    return this.#node(`both ${ids(parts)}`, { type: "both", parts }, isEmpty);
  }

  #except(part: Node): Node {
    if (part.shape.type === "except") return part.shape.part;
    return this.#node(`except ${part.id}`, { type: "except", part }, !part.mayBeEmpty);
  }

  #repeat(part: Node, min: number, max: number | undefined): Node {
    if (max === 0 || part === this.#empty) return this.#empty;
    if (part === this.#never) return min === 0 ? this.#empty : this.#never;
    if (min === 1 && max === 1) return part;
    const shape = { type: "repeat", part, min, max } as const;
    return this.#node(`repeat ${part.id} ${min} ${max ?? ""}`, shape, min === 0 || part.mayBeEmpty);
  }

  #flat(given: readonly Node[], type: "either" | "both"): Node[] {
    const parts = given.flatMap((part) => (part.shape.type === type ? part.shape.parts : [part]));
    this.allowance.spend(parts.length);
    return [...new Set(parts)].sort((a, b) => a.id - b.id);
  }

  #node(key: string, shape: Shape, mayBeEmpty: boolean): Node {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= mostNodes) throw new TooManyStates();
    const node = { id: this.#known.size, mayBeEmpty, shape };
    this.#known.set(key, node);
    return node;
  }
}

const ids = (nodes: readonly Node[]): string => nodes.map(({ id }) => id).join(" ");
