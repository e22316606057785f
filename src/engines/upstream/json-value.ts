/** Reads JSON from an engine. Nothing about its shape is assumed. */
import { isObject, type JsonObject } from "../../protocol/read-json.js";

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A non-negative integer. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export const flagOf = (value: unknown): boolean | undefined =>
  typeof value === "boolean" ? value : undefined;

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null when it is not a JSON object. */
export function parseObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
