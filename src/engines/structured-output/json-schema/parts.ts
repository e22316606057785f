/** What the parts of the compiler share. */
import type { Expression, Grammar } from "../gbnf.js";
import { isKeyword, type Keyword } from "./keywords.js";
import { countAt, isSchemaObject, SchemaError, type Path, type Schema } from "./schema.js";

export interface Parts {
  readonly grammar: Grammar;
  readonly references: References;
  readonly work: Work;
  /** The grammar of a schema inside the one that is being compiled. */
  value(schema: unknown, path: Path): Expression;
  /**
   * The keyword at this place is not enforced, or not wholly: no grammar can. Without `strict` the reply follows the
   * rest; with `strict` the schema is refused by a `SchemaError`, with what to write instead.
   */
  leaveOut(path: Path, keyword: Keyword, reason?: string): void;
}

export const tooLarge = "it is too large to be followed";

/** Longer repetitions make grammars that take too long to follow. */
const maxRepeats = 1000;

/** A range of lengths or counts, clamped to what can be counted. */
export function countsAt(
  schema: Schema,
  least: Keyword,
  most: Keyword,
  path: Path,
  parts: Parts,
): [min: number, max: number | undefined] {
  const [min = 0, max] = [countAt(schema, least, path), countAt(schema, most, path)];
  if (max !== undefined && min > max) throw new SchemaError([...path, least], `it is above '${most}'`);
  if (min > maxRepeats) parts.leaveOut(path, least, "this many cannot be enforced");
  return [Math.min(min, maxRepeats), max === undefined ? undefined : Math.min(max, maxRepeats)];
}

/** Some hundred milliseconds at worst. An ordinary schema takes a few thousand. */
const maxWork = 5_000_000;
/** Comparing two schemas merges them first, or goes through their values. */
const stepsPerComparison = 50;

/** The work that one schema takes, counted by all parts of the compiler in steps of about the same length. */
export class Work {
  spent = 0;

  /** Before the steps are taken. Throws `SchemaError`. */
  readonly spend = (steps: number): void => {
    if (this.spent + steps > maxWork) throw new SchemaError([], "it takes too long to compile");
    this.spent += steps;
  };

  /** The same for comparisons and lookups. */
  readonly compare = (parts: number): void => this.spend(parts * stepsPerComparison);
}

const maxHops = 50;
const longestReference = 1000;

/** Finds what `$ref` points to: places in the same schema, by JSON pointer. */
export class References {
  constructor(
    private readonly root: Schema,
    private readonly work: Work,
  ) {}

  /** The schema at the end of a chain of references. */
  resolve(schema: unknown, path: Path): unknown {
    this.work.compare(1);
    let current = schema;
    for (let hops = 0; isSchemaObject(current) && isOnlyReference(current); hops++) {
      if (hops === maxHops) throw new SchemaError([...path, "$ref"], "it leads in a circle");
      current = this.target(current["$ref"], path);
    }
    return current;
  }

  target(reference: unknown, path: Path): unknown {
    const fault = (reason: string) => new SchemaError([...path, "$ref"], reason);
    if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
      throw fault("only places in the same schema can be referred to, such as '#/$defs/item'");
    }
    if (reference.length > longestReference) {
      throw fault(`expected at most ${longestReference} characters`);
    }
    let found: unknown = this.root;
    for (const encoded of reference.split("/").slice(1)) {
      const step = decode(encoded).replaceAll("~1", "/").replaceAll("~0", "~");
      const place: unknown = found;
      if (typeof place !== "object" || place === null || !Object.hasOwn(place, step)) {
        throw fault("there is no such place in the schema");
      }
      found = Object.getOwnPropertyDescriptor(place, step)?.value;
    }
    return found;
  }
}

/** Whether the reference says all, and what stands beside it constrains nothing. */
export const isOnlyReference = (schema: Schema): boolean =>
  "$ref" in schema && Object.keys(schema).every((key) => key === "$ref" || !isKeyword(key));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
