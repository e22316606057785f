/** Numbers: any, between bounds, or the multiples of one. */
import { choice, text, type Expression } from "./gbnf.js";
import * as json from "./json-text.js";
import { multiplesOf } from "./multiples.js";
import { integersBetween, largest, numbersBetween, type Bounds } from "./number-range.js";
import type { Parts } from "./parts.js";
import { All, numberAt, SchemaError, type Path, type Schema } from "./schema.js";

const mostListed = 500;

export function numbers(type: "number" | "integer", schema: Schema, path: Path, parts: Parts): Expression {
  const bounds = boundsOf(schema, path);
  const { min, max } = bounds;
  if (min !== undefined && max !== undefined && min > max) {
    throw new SchemaError([...path, "minimum"], "it is above the maximum");
  }
  const steps = stepsAt(schema, path);
  const [step] = steps;
  if (steps.length > 1) parts.strictness.leaveOut(path, "multipleOf", "several cannot be enforced together");
  if (step !== undefined) {
    const isWhole = Number.isInteger(step);
    const isAnyInteger = type === "integer" && 1 % step === 0;
    const multiples = isAnyInteger || (type === "integer" && !isWhole) ? null : steppedBy(step, bounds, parts);
    if (multiples !== null) return multiples;
    if (!isAnyInteger) parts.strictness.leaveOut(path, "multipleOf");
  }
  if (min === undefined && max === undefined) {
    return type === "integer" ? json.anyInteger(parts.grammar) : json.anyNumber(parts.grammar);
  }
  return type === "integer" ? integersBetween(bounds) : numbersBetween(bounds);
}

/** Null where they cannot be told by their digits, and are too many to be listed. */
function steppedBy(step: number, { min, max }: Bounds, parts: Parts): Expression | null {
  const areFew = min !== undefined && max !== undefined && (max - min) / step <= mostListed;
  const areExact = Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)) <= Number.MAX_SAFE_INTEGER;
  if (!areFew || !areExact || !Number.isInteger(step)) return multiplesOf(step, { min, max }, parts.grammar);
  const values: Expression[] = [];
  for (let value = Math.ceil(min / step) * step; value <= max; value += step) values.push(text(String(value)));
  return choice(...values);
}

function stepsAt(schema: Schema, path: Path): number[] {
  const { multipleOf } = schema;
  const values = multipleOf instanceof All ? multipleOf.values : multipleOf === undefined ? [] : [multipleOf];
  return values.map((value) => {
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
    throw new SchemaError([...path, "multipleOf"], "expected a number above 0");
  });
}

/** Inclusive. Bounds that are further than what is written anyway are none. */
function boundsOf(schema: Schema, path: Path): Bounds {
  const min = highest(numberAt(schema, "minimum", path), numberAt(schema, "exclusiveMinimum", path));
  const max = lowest(numberAt(schema, "maximum", path), numberAt(schema, "exclusiveMaximum", path));
  const isFar = (bound: number | undefined) => bound !== undefined && Math.abs(bound) > largest;
  return {
    min: isFar(min) && Number(min) < 0 ? undefined : min,
    max: isFar(max) && Number(max) > 0 ? undefined : max,
  };
}

function highest(inclusive: number | undefined, exclusive: number | undefined): number | undefined {
  if (exclusive === undefined) return inclusive;
  return Math.max(inclusive ?? -Infinity, neighbour(exclusive, 1));
}

function lowest(inclusive: number | undefined, exclusive: number | undefined): number | undefined {
  if (exclusive === undefined) return inclusive;
  return Math.min(inclusive ?? Infinity, neighbour(exclusive, -1));
}

/** The next number that can be told from this one. */
function neighbour(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE;
  let step = Math.abs(value) * Number.EPSILON;
  while (value + direction * (step / 2) !== value) step /= 2;
  return value + direction * step;
}
