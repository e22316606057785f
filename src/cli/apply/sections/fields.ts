/** Descriptions of things, and what differs between two of them, field by field. */
import { isDeepStrictEqual } from "node:util";

export type Fields = Readonly<Record<string, unknown>>;

/** A plain object, as YAML's maps become. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Undefined where there was or will be nothing. */
export interface FieldChange {
  /** Such as `quotas.tokensPerDay`. */
  field: string;
  from?: unknown;
  to?: unknown;
}

export function differences(before: unknown, after: unknown, field = ""): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [from, to] = [before === undefined ? {} : partsOf(before), partsOf(after)];
  if (from === null || to === null) return [{ field, from: before, to: after }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    differences(from[name], to[name], field === "" ? name : `${field}.${name}`),
  );
}

/** Lists of objects are compared by place, other lists as a whole. */
function partsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (isFields(value)) return value;
  return Array.isArray(value) && value.length > 0 && value.every(isFields)
    ? Object.fromEntries(value.entries())
    : null;
}
