/**
 * Regular languages of strings as rules of a grammar, by way of a deterministic automaton.
 *
 * The automaton is built from Brzozowski derivatives: what may still follow once a character is written is a language
 * again, and there are finitely many of them. Each becomes a state, and each state a rule with one alternative for
 * each different continuation, so that a reply follows exactly one of them: what a pattern costs while tokens are
 * sampled does not depend on how ambiguous it is. Intersection and complement, which no grammar rule can express, come
 * at no extra cost.
 *
 * The number of states can be exponential in the pattern. Steps, states and elements are bounded, for all patterns of
 * a schema together: a pattern that exceeds them has no rules.
 */
import {
  choice,
  rule,
  sequence,
  sizeOf,
  text,
  type CodeRange,
  type Expression,
  type Grammar,
} from "../../gbnf.js";
import type { Work } from "../parts.js";
import { lastCode, written } from "./characters.js";

/** Of characters, by code point. How they are written in JSON is decided when rules are made. */
export type Language =
  | { type: "chars"; ranges: readonly CodeRange[] }
  | { type: "sequence"; parts: readonly Language[] }
  | { type: "choice"; options: readonly Language[] }
  /** `max` undefined: any number. */
  | { type: "repeat"; part: Language; min: number; max: number | undefined }
  | { type: "intersection"; parts: readonly Language[] }
  | { type: "complement"; part: Language };

/** For all patterns of a schema. The elements leave room in the grammar for everything else. */
const maxSteps = 500_000;
const maxElements = 12_000;
/** For one pattern. */
const maxStates = 1_500;
const maxNodes = 20_000;

class TooLarge extends Error {}

export class Automata {
  #steps = 0;
  #elements = 0;
  /** Names of the rules for sets of characters, which most patterns share. */
  readonly #sets = new Map<string, string>();

  constructor(
    private readonly grammar: Grammar,
    private readonly work: Work,
  ) {}

  /** Rules whose names begin with this one; null where they would be too large. */
  rulesOf(language: Language, name: string, mostStates = maxStates): Expression | null {
    try {
      const nodes = new Nodes(this.#spend);
      const start = nodes.of(language);
      return this.#define(start, statesFrom(start, nodes, mostStates), name);
    } catch (error) {
      if (error instanceof TooLarge) return null;
      throw error;
    }
  }

  readonly #spend = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new TooLarge();
    this.work.spend(steps);
  };

  #define(start: Node, states: States, name: string): Expression {
    const names = new Map([...states.keys()].map((node, index) => [node, `${name}-${index}`]));
    const entries = entriesOf(start, states);
    /** A state with one way in and one way out is written where it is entered. */
    const isInline = (node: Node): boolean =>
      entries.get(node) === 1 && !node.mayBeEmpty && states.get(node)?.length === 1;
    const isEnd = (node: Node): boolean => node.mayBeEmpty && states.get(node)?.length === 0;
    const after = ({ ranges, to }: Transition): Expression => {
      const parts = [this.#character(ranges)];
      let node = to;
      for (; isInline(node); node = states.get(node)?.[0]?.to ?? start) {
        parts.push(this.#character(states.get(node)?.[0]?.ranges ?? []));
      }
      return sequence(...parts, ...(isEnd(node) ? [] : [rule(names.get(node) ?? name)]));
    };
    const rules = [...states]
      .filter(([node]) => node === start || (!isInline(node) && !isEnd(node)))
      .map(([node, transitions]): [string, Expression] => [
        names.get(node) ?? name,
        choice(...(node.mayBeEmpty ? [text("")] : []), ...transitions.map(after)),
      ]);
    const elements = rules.reduce((sum, [, content]) => sum + sizeOf(content), 0);
    if (this.#elements + elements > maxElements) throw new TooLarge();
    this.#elements += elements;
    for (const [ruleName, content] of rules) this.grammar.define(ruleName, () => content);
    return rule(names.get(start) ?? name);
  }

  #character(ranges: readonly CodeRange[]): Expression {
    const character = written(ranges);
    if (sizeOf(character) <= 2) return character;
    const key = ranges.join(" ");
    const name = this.#sets.get(key) ?? `chars-${this.#sets.size}`;
    this.#sets.set(key, name);
    return this.grammar.define(name, () => character);
  }
}

interface Transition {
  ranges: readonly CodeRange[];
  to: Node;
}

type States = ReadonlyMap<Node, readonly Transition[]>;

function statesFrom(start: Node, nodes: Nodes, mostStates: number): States {
  const states = new Map<Node, readonly Transition[]>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (states.has(node)) continue;
    const transitions = nodes.transitions(node);
    states.set(node, transitions);
    if (states.size > mostStates) throw new TooLarge();
    for (const { to } of transitions) open.push(to);
  }
  return states;
}

/** How many transitions lead to each state. The start has one from outside. */
function entriesOf(start: Node, states: States): ReadonlyMap<Node, number> {
  const entries = new Map([[start, 1]]);
  for (const transitions of states.values()) {
    for (const { to } of transitions) entries.set(to, (entries.get(to) ?? 0) + 1);
  }
  return entries;
}

/** A language in a normal form: equal nodes are the same object. Languages may be equal and their nodes not. */
interface Node {
  id: number;
  mayBeEmpty: boolean;
  shape: Shape;
}

type Shape =
  /** `empty` holds the empty string alone, `nothing` not even that. */
  | { type: "empty" | "nothing" }
  | { type: "chars"; ranges: readonly CodeRange[] }
  | { type: "concat"; first: Node; rest: Node }
  | { type: "union" | "intersection"; parts: readonly Node[] }
  | { type: "complement"; part: Node }
  | { type: "repeat"; part: Node; min: number; max: number | undefined };

class Nodes {
  readonly #known = new Map<string, Node>();
  readonly #derived = new Map<string, Node>();
  readonly #nothing = this.#node("nothing", { type: "nothing" }, false);
  readonly #empty = this.#node("empty", { type: "empty" }, true);
  readonly #anything = this.#complement(this.#nothing);

  constructor(private readonly spend: (steps: number) => void) {}

  of(language: Language): Node {
    switch (language.type) {
      case "chars":
        return this.#chars(language.ranges);
      case "sequence":
        return language.parts.reduceRight((rest, part) => this.#concat(this.of(part), rest), this.#empty);
      case "choice":
        return this.#union(language.options.map((option) => this.of(option)));
      case "repeat":
        return this.#repeat(this.of(language.part), language.min, language.max);
      case "intersection":
        return this.#intersection(language.parts.map((part) => this.of(part)));
      case "complement":
        return this.#complement(this.of(language.part));
    }
  }

  transitions(node: Node): Transition[] {
    const starts = new Set<number>([0]);
    this.#addBoundaries(node, starts);
    const sorted = [...starts].filter((code) => code <= lastCode).sort((a, b) => a - b);
    const byTarget = new Map<Node, CodeRange[]>();
    sorted.forEach((first, index) => {
      const to = this.#after(node, first);
      if (to === this.#nothing) return;
      const last = (sorted[index + 1] ?? lastCode + 1) - 1;
      const ranges = byTarget.get(to) ?? [];
      const before = ranges.at(-1);
      if (before !== undefined && before[1] === first - 1) ranges[ranges.length - 1] = [before[0], last];
      else ranges.push([first, last]);
      byTarget.set(to, ranges);
    });
    return [...byTarget].map(([to, ranges]) => ({ ranges, to }));
  }

  /** The code points from which on the next character makes a difference. */
  #addBoundaries({ shape }: Node, to: Set<number>): void {
    this.spend(1);
    switch (shape.type) {
      case "chars":
        for (const [first, last] of shape.ranges) to.add(first).add(last + 1);
        return;
      case "concat":
        for (const part of this.#beginnings(shape)) this.#addBoundaries(part.first, to);
        return;
      case "union":
      case "intersection":
        for (const part of shape.parts) this.#addBoundaries(part, to);
        return;
      case "complement":
      case "repeat":
        this.#addBoundaries(shape.part, to);
        return;
      case "empty":
      case "nothing":
    }
  }

  /** The parts of a sequence that a text of it may begin with, and what follows each. No recursion: it may be long. */
  *#beginnings(shape: Extract<Shape, { type: "concat" }>): Generator<{ first: Node; rest: Node }> {
    let { first, rest } = shape;
    for (;;) {
      this.spend(1);
      yield { first, rest };
      if (!first.mayBeEmpty) return;
      if (rest.shape.type === "concat") ({ first, rest } = rest.shape);
      else if (rest === this.#empty) return;
      else [first, rest] = [rest, this.#empty];
    }
  }

  /** The derivative: what may follow once this character is written. */
  #after(node: Node, code: number): Node {
    const key = `${node.id} ${code}`;
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    this.spend(4);
    const derived = this.#derive(node.shape, code);
    this.#derived.set(key, derived);
    return derived;
  }

  #derive(shape: Shape, code: number): Node {
    switch (shape.type) {
      case "empty":
      case "nothing":
        return this.#nothing;
      case "chars":
        return shape.ranges.some(([first, last]) => first <= code && code <= last)
          ? this.#empty
          : this.#nothing;
      case "concat": {
        const options = Array.from(this.#beginnings(shape), ({ first, rest }) =>
          this.#concat(this.#after(first, code), rest),
        );
        return this.#union(options);
      }
      case "union":
        return this.#union(shape.parts.map((part) => this.#after(part, code)));
      case "intersection":
        return this.#intersection(shape.parts.map((part) => this.#after(part, code)));
      case "complement":
        return this.#complement(this.#after(shape.part, code));
      case "repeat": {
        const { part, min, max } = shape;
        const rest = this.#repeat(part, Math.max(0, min - 1), max === undefined ? undefined : max - 1);
        return this.#concat(this.#after(part, code), rest);
      }
    }
  }

  #chars(ranges: readonly CodeRange[]): Node {
    if (ranges.length === 0) return this.#nothing;
    return this.#node(`chars ${ranges.join(" ")}`, { type: "chars", ranges }, false);
  }

  #concat(first: Node, rest: Node): Node {
    if (first === this.#nothing || rest === this.#nothing) return this.#nothing;
    if (first === this.#empty) return rest;
    if (rest === this.#empty) return first;
    // Nested to the right, so that equal sequences are equal nodes. No recursion: they may be long.
    const parts: Node[] = [];
    let last = first;
    for (; last.shape.type === "concat"; last = last.shape.rest) parts.push(last.shape.first);
    this.spend(parts.length);
    return [...parts, last].reduceRight((after, part) => {
      const shape = { type: "concat", first: part, rest: after } as const;
      return this.#node(`concat ${part.id} ${after.id}`, shape, part.mayBeEmpty && after.mayBeEmpty);
    }, rest);
  }

  #union(given: readonly Node[]): Node {
    return this.#combined("union", given, this.#nothing, this.#anything);
  }

  #intersection(given: readonly Node[]): Node {
    return this.#combined("intersection", given, this.#anything, this.#nothing);
  }

  /** `neutral` adds nothing to the others, `absorbing` leaves nothing of them. */
  #combined(type: "union" | "intersection", given: readonly Node[], neutral: Node, absorbing: Node): Node {
    const flat = given.flatMap((part) => (part.shape.type === type ? part.shape.parts : [part]));
    this.spend(flat.length);
    const parts = [...new Set(flat)].filter((part) => part !== neutral).sort((a, b) => a.id - b.id);
    if (parts.includes(absorbing)) return absorbing;
    const [first, second] = parts;
    if (first === undefined) return neutral;
    if (second === undefined) return first;
    const isEmpty = (part: Node) => part.mayBeEmpty;
    const mayBeEmpty = type === "union" ? parts.some(isEmpty) : parts.every(isEmpty);
    return this.#node(`${type} ${parts.map(({ id }) => id).join(" ")}`, { type, parts }, mayBeEmpty);
  }

  #complement(part: Node): Node {
    if (part.shape.type === "complement") return part.shape.part;
    return this.#node(`complement ${part.id}`, { type: "complement", part }, !part.mayBeEmpty);
  }

  #repeat(part: Node, min: number, max: number | undefined): Node {
    if (max === 0 || part === this.#empty) return this.#empty;
    if (part === this.#nothing) return min === 0 ? this.#empty : this.#nothing;
    if (min === 1 && max === 1) return part;
    const shape = { type: "repeat", part, min, max } as const;
    return this.#node(`repeat ${part.id} ${min} ${max ?? ""}`, shape, min === 0 || part.mayBeEmpty);
  }

  #node(key: string, shape: Shape, mayBeEmpty: boolean): Node {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= maxNodes) throw new TooLarge();
    const node = { id: this.#known.size, mayBeEmpty, shape };
    this.#known.set(key, node);
    return node;
  }
}
