/** Numbers: any, between bounds, or the multiples of one. */
import { choice, text, type Expression } from "../../gbnf.js";
import * as json from "../json-text.js";
import { multiplesOf } from "./multiples.js";
import { integersBetween, largest, numbersBetween, type Bounds } from "./number-range.js";
import type { Parts } from "../parts.js";
import { All, numberAt, SchemaError, type Path, type Schema } from "../schema.js";

const maxListed = 500;

export function numbers(given: "number" | "integer", schema: Schema, path: Path, parts: Parts): Expression {
  const { min, max } = boundsOf(schema, path);
  if (min !== undefined && max !== undefined && min > max) {
    throw new SchemaError([...path, "minimum"], "it is above the maximum");
  }
  const steps = stepsAt(schema, path);
  const [step] = steps;
  if (steps.length > 1) parts.leaveOut(path, "multipleOf", "several cannot be enforced together");
  const type = step === 1 ? "integer" : given;
  // Every integer is a multiple of a half, a tenth and so on.
  const isMultiple = type === "integer" && step !== undefined && Number.isInteger(1 / step);
  if (step !== undefined && !isMultiple) {
    const canBe = type === "number" || Number.isInteger(step);
    const multiples = canBe ? steppedBy(step, { min, max }, parts) : null;
    if (multiples !== null) return multiples;
    parts.leaveOut(path, "multipleOf");
  }
  const bounds = withinReach({ min, max }, type === "integer" ? largest : json.largestNumber);
  if (bounds.min === undefined && bounds.max === undefined) {
    return type === "integer" ? json.anyInteger(parts.grammar) : json.anyNumber(parts.grammar);
  }
  return type === "integer" ? integersBetween(bounds) : numbersBetween(bounds);
}

/** Null where no rules for their digits exist, and they are too many to be listed. */
function steppedBy(step: number, { min, max }: Bounds, parts: Parts): Expression | null {
  const areFew = min !== undefined && max !== undefined && (max - min) / step <= maxListed;
  const areExact = Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)) <= Number.MAX_SAFE_INTEGER;
  if (!areFew || !areExact || !Number.isInteger(step)) return multiplesOf(step, { min, max }, parts.grammar);
  const values: Expression[] = [];
  for (let value = Math.ceil(min / step) * step; value <= max; value += step)
    values.push(text(String(value)));
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

/** Inclusive. */
function boundsOf(schema: Schema, path: Path): Bounds {
  const exclusiveMin = numberAt(schema, "exclusiveMinimum", path) ?? -Infinity;
  const exclusiveMax = numberAt(schema, "exclusiveMaximum", path) ?? Infinity;
  const min = Math.max(numberAt(schema, "minimum", path) ?? -Infinity, neighbour(exclusiveMin, 1));
  const max = Math.min(numberAt(schema, "maximum", path) ?? Infinity, neighbour(exclusiveMax, -1));
  return { min: min === -Infinity ? undefined : min, max: max === Infinity ? undefined : max };
}

/** Drops bounds beyond all numbers that are written anyway. */
const withinReach = ({ min, max }: Bounds, furthest: number): Bounds => ({
  min: min !== undefined && min < -furthest ? undefined : min,
  max: max !== undefined && max > furthest ? undefined : max,
});

/** The adjacent floating-point number. */
function neighbour(value: number, direction: 1 | -1): number {
  if (!Number.isFinite(value)) return value;
  if (value === 0) return direction * Number.MIN_VALUE;
  let step = Math.abs(value) * Number.EPSILON;
  while (value + direction * (step / 2) !== value) step /= 2;
  return value + direction * step;
}
