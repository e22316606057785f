/** Readers of option values for commander, which reports their errors as wrong usage. */
import { InvalidArgumentError } from "commander";
import { largestQuota } from "../core/bounds.js";

const countUpTo =
  (largest: number) =>
  (text: string): number => {
    const count = Number(text);
    if (/^\d+$/.test(text) && count >= 1 && count <= largest) return count;
    throw new InvalidArgumentError(`Write a whole number from 1 to ${largest}.`);
  };

export const parseCount = countUpTo(1_000_000_000);
/** For daily and monthly quotas. */
export const parseQuota = countUpTo(largestQuota);

/** Commander takes null for a flag without a value: "none" becomes null in `changed` of `limits.ts`. */
export const countOrNone = (text: string): number | "none" => (text === "none" ? text : parseCount(text));
export const quotaOrNone = (text: string): number | "none" => (text === "none" ? text : parseQuota(text));

const unitMs = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
const longestMs = 100 * 365 * 86_400_000;

/** Milliseconds of `30d`, `12h`, `90m`, `45s` or `0`. */
export function parseDuration(text: string): number {
  if (text === "0") return 0;
  const [, count, unit = ""] = /^(\d+)([a-z])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs.get(unit) ?? NaN);
  if (ms <= longestMs) return ms;
  throw new InvalidArgumentError("Write a number and a unit, such as 30d, 12h, 90m or 45s.");
}

/** A time such as `2026-01-31T09:00Z` or `2026-01-31 09:00`; without a zone it is UTC, as in all output. */
export function parseTime(text: string): Date {
  const pattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?$/;
  const [, day = "", clock = "", zone = "Z"] = pattern.exec(text.trim()) ?? [];
  const time = new Date(`${day}T${clock}${zone}`);
  if (!Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError("Write a time such as 2026-01-31T09:00Z; without a zone it is UTC.");
}
