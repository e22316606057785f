/** What the parts of the compiler share. */
import type { Expression, Grammar } from "../gbnf.js";
import type { Keyword } from "./keywords.js";
import type { References } from "./references.js";
import { countAt, SchemaError, type Path, type Schema } from "./schema.js";
import type { Strictness } from "./strictness.js";
import type { Work } from "./work.js";

export interface Parts {
  readonly grammar: Grammar;
  readonly references: References;
  readonly strictness: Strictness;
  readonly work: Work;
  /** The grammar of a schema inside the one that is being compiled. */
  value(schema: unknown, path: Path, depth: number): Expression;
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
  strictness: Strictness,
): [min: number, max: number | undefined] {
  const [min = 0, max] = [countAt(schema, least, path), countAt(schema, most, path)];
  if (max !== undefined && min > max) throw new SchemaError([...path, least], `it is above '${most}'`);
  if (min > maxRepeats) strictness.leaveOut(path, least, "this many cannot be enforced");
  return [Math.min(min, maxRepeats), max === undefined ? undefined : Math.min(max, maxRepeats)];
}
