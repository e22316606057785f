import { InvalidArgumentError } from "commander";

const unitMs = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
const longestMs = 100 * 365 * 86_400_000;

/** Milliseconds of `30d`, `12h`, `90m`, `45s` or `0`: reads an option's value for commander. */
export function parseDuration(text: string): number {
  if (text === "0") return 0;
  const [, count, unit = ""] = /^(\d+)([a-z])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs.get(unit) ?? NaN);
  if (ms <= longestMs) return ms;
  throw new InvalidArgumentError("Write a number and a unit, such as 30d, 12h, 90m or 45s.");
}
