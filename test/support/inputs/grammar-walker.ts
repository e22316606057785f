/**
 * Random texts of a grammar in GBNF, from a seed: what a model that knows nothing would write under it. Read is what
 * our own compiler writes: rules with texts, ranges of characters, groups, alternatives and counted repetitions.
 */
import { uniformNumbers } from "./uniform-numbers.js";

type Node =
  | { type: "text"; text: string }
  | { type: "chars"; ranges: [first: number, last: number][] }
  | { type: "sequence"; parts: Node[] }
  | { type: "choice"; options: Node[] }
  | { type: "repeat"; part: Node; min: number; max: number }
  | { type: "rule"; name: string };

/** Repetitions without an end, and those with a distant one, stop here. */
const mostRepeats = 4;
/** Deeper than this the shortest way out is taken. */
const deepest = 40;

export class GrammarWalker {
  readonly #rules = new Map<string, Node>();
  /** How deep a rule goes at least before it ends. */
  readonly #depths = new Map<string, number>();

  constructor(gbnf: string) {
    for (const line of gbnf.trimEnd().split("\n")) {
      const [, name = "", body = ""] = /^([\w-]+) ::= (.*)$/.exec(line) ?? [];
      this.#rules.set(name, new Reader(body).read());
    }
    this.#measure();
  }

  text(seed: number): string {
    const random = uniformNumbers(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const write = (node: Node, depth: number): string => {
      switch (node.type) {
        case "text":
          return node.text;
        case "chars": {
          const [first, last] = node.ranges[below(node.ranges.length)] ?? [0, 0];
          return String.fromCodePoint(first + below(last - first + 1));
        }
        case "sequence":
          return node.parts.map((part) => write(part, depth)).join("");
        case "choice": {
          const option =
            depth > deepest ? this.#shortest(node.options) : node.options[below(node.options.length)];
          return option === undefined ? "" : write(option, depth);
        }
        case "repeat": {
          const most =
            depth > deepest ? node.min : Math.max(node.min, Math.min(node.max, node.min + mostRepeats));
          const count = node.min + below(most - node.min + 1);
          return Array.from({ length: count }, () => write(node.part, depth)).join("");
        }
        case "rule":
          return write(this.#rule(node.name), depth + 1);
      }
    };
    return write({ type: "rule", name: "root" }, 0);
  }

  #rule(name: string): Node {
    const node = this.#rules.get(name);
    if (node === undefined) throw new Error(`The grammar has no rule '${name}'.`);
    return node;
  }

  #shortest(options: readonly Node[]): Node | undefined {
    return [...options].sort((a, b) => this.#depthOf(a) - this.#depthOf(b))[0];
  }

  #measure(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const [name, node] of this.#rules) {
        const depth = 1 + this.#depthOf(node);
        if (depth >= (this.#depths.get(name) ?? Infinity)) continue;
        this.#depths.set(name, depth);
        changed = true;
      }
    }
  }

  #depthOf(node: Node): number {
    switch (node.type) {
      case "text":
      case "chars":
        return 0;
      case "sequence":
        return Math.max(0, ...node.parts.map((part) => this.#depthOf(part)));
      case "choice":
        return Math.min(...node.options.map((option) => this.#depthOf(option)));
      case "repeat":
        return node.min === 0 ? 0 : this.#depthOf(node.part);
      case "rule":
        return this.#depths.get(node.name) ?? Infinity;
    }
  }
}

class Reader {
  #at = 0;

  constructor(private readonly source: string) {}

  read(): Node {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    return { type: "choice", options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      this.#match(/ */y);
      const char = this.source[this.#at];
      if (char === undefined || char === "|" || char === ")") return { type: "sequence", parts };
      parts.push(this.#repeated(this.#atom(char)));
    }
  }

  #atom(char: string): Node {
    if (char === '"') {
      const [, text = ""] = this.#match(/"((?:[^"\\]|\\.)*)"/y);
      return {
        type: "text",
        text: unescaped(text)
          .map((code) => String.fromCodePoint(code))
          .join(""),
      };
    }
    if (char === "[") {
      const [, body = ""] = this.#match(/\[([^\]]*)\]/y);
      const ranges = [...body.matchAll(/(\\[xuU][0-9A-F]+)(?:-(\\[xuU][0-9A-F]+))?/g)];
      return {
        type: "chars",
        ranges: ranges.map(([, first = "", last = first]) => [
          unescaped(first)[0] ?? 0,
          unescaped(last)[0] ?? 0,
        ]),
      };
    }
    if (this.#take("(")) {
      const group = this.read();
      if (!this.#take(")")) throw new Error("A group does not end.");
      return group;
    }
    const [name] = this.#match(/[\w-]+/y);
    return { type: "rule", name };
  }

  #repeated(part: Node): Node {
    if (this.source[this.#at] !== "{") return part;
    const [, min = "0", max = ""] = this.#match(/\{(\d+),(\d*)\}/y);
    return { type: "repeat", part, min: Number(min), max: max === "" ? Infinity : Number(max) };
  }

  #take(char: string): boolean {
    this.#match(/ */y);
    if (this.source[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.source);
    if (match === null) throw new Error(`Nothing known at ${this.#at}.`);
    this.#at += match[0].length;
    return match;
  }
}

function unescaped(text: string): number[] {
  return [...text.matchAll(/\\x(..)|\\u(....)|\\U(.{8})|([^])/gu)].map(([, short, middle, long, char]) => {
    const hex = short ?? middle ?? long;
    return hex === undefined ? (char?.codePointAt(0) ?? 0) : Number.parseInt(hex, 16);
  });
}
