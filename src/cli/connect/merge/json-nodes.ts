/** JSON with comments and trailing commas, as editors' settings have it, parsed with the place of every value. */
import { lineNumber } from "./edits.js";
import { NotUnderstood } from "./not-understood.js";

interface Place {
  start: number;
  end: number;
}

export interface JsonObject extends Place {
  type: "object";
  members: { key: string; start: number; value: JsonNode }[];
  /** Of the comma behind the last member; null without one. */
  lastComma: number | null;
}

export interface JsonArray extends Place {
  type: "array";
  items: JsonNode[];
  lastComma: number | null;
}

export type JsonNode = JsonObject | JsonArray | (Place & { type: "scalar"; value: unknown });

const maxDepth = 100;
const scalar = /"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /(?:[\s\ufeff]+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;

/** Throws `NotUnderstood` with the line. */
export function parseNodes(text: string): JsonNode {
  const reader = new Reader(text);
  const root = reader.value(0);
  reader.skip();
  if (reader.at < text.length) reader.fail();
  return root;
}

export function nodeValue(node: JsonNode): unknown {
  if (node.type === "scalar") return node.value;
  if (node.type === "array") return node.items.map(nodeValue);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, nodeValue(value)]));
}

/** Behind white space and comments that begin at `at`. */
export function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  space.exec(text);
  return space.lastIndex;
}

class Reader {
  at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): JsonNode {
    if (depth > maxDepth) this.fail();
    this.skip();
    const start = this.at;
    if (this.take("{")) return this.object(start, depth);
    if (this.take("[")) return this.array(start, depth);
    const value = this.scalar();
    return { type: "scalar", start, end: this.at, value };
  }

  skip(): void {
    this.at = skipSpace(this.text, this.at);
  }

  fail(): never {
    throw new NotUnderstood(`line ${lineNumber(this.text, this.at)} is not valid JSON`);
  }

  private object(start: number, depth: number): JsonObject {
    const members: JsonObject["members"] = [];
    const keys = new Set<string>();
    const lastComma = this.list("}", () => {
      const keyStart = this.at;
      const key = this.scalar();
      // Which of two counts differs between readers.
      if (typeof key !== "string" || keys.has(key)) return this.fail();
      keys.add(key);
      this.skip();
      if (!this.take(":")) this.fail();
      members.push({ key, start: keyStart, value: this.value(depth + 1) });
    });
    return { type: "object", start, end: this.at, members, lastComma };
  }

  private array(start: number, depth: number): JsonArray {
    const items: JsonNode[] = [];
    const lastComma = this.list("]", () => items.push(this.value(depth + 1)));
    return { type: "array", start, end: this.at, items, lastComma };
  }

  /** Up to and including `close`. Returns the place of a comma before it. */
  private list(close: string, item: () => unknown): number | null {
    let comma: number | null = null;
    for (let isFirst = true; ; isFirst = false) {
      this.skip();
      if (this.take(close)) return comma;
      if (!isFirst && comma === null) this.fail();
      item();
      this.skip();
      comma = this.text[this.at] === "," ? this.at++ : null;
    }
  }

  private scalar(): unknown {
    scalar.lastIndex = this.at;
    const found = scalar.exec(this.text)?.[0];
    if (found === undefined) return this.fail();
    this.at += found.length;
    try {
      return JSON.parse(found) as unknown;
    } catch {
      return this.fail();
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }
}
