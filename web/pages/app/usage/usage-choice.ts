/**
 * What the usage page shows, as its address says it: `?period=7d`, or `?from=2026-01-01&to=2026-01-31` for days of
 * one's own, with `key` and `model`. What is as usual is left out; what makes no sense is as if it were not there.
 */
import { isModelId, type ModelId } from "../../../../src/protocol/models.js";
import type { Filters } from "../../../hooks/use-url-filters.ts";
import { periods, usagePeriod, type PeriodId, type UsagePeriod } from "./usage-period.ts";

/** Whole days in UTC, both included: "2026-01-31". */
export interface DayRange {
  from: string;
  to: string;
}

export interface UsageChoice {
  period: PeriodId | DayRange;
  /** A key's id; empty for all. */
  key: string;
  model: ModelId | "";
}

/** As far back as usage is kept and can be read at once. */
export const mostDays = 400;
/** Longer ranges are drawn by the day. */
const mostDaysByHour = 7;
const dayMs = 86_400_000;

const usualPeriod: PeriodId = "24h";

export type UsageFilterValues = Filters<"period" | "from" | "to" | "key" | "model">;

export const usualFilters: UsageFilterValues = { period: usualPeriod, from: "", to: "", key: "", model: "" };

export function choiceOf({ period, from, to, key, model }: UsageFilterValues, now: number): UsageChoice {
  const named = periods.find(({ id }) => id === period)?.id ?? usualPeriod;
  return {
    period: rangeError({ from, to }, now) === null ? { from, to } : named,
    key: key.slice(0, 64),
    model: isModelId(model) ? model : "",
  };
}

/** The inverse of `choiceOf`. */
export function filtersOf({ period, key, model }: UsageChoice): UsageFilterValues {
  const when = typeof period === "string" ? { period, from: "", to: "" } : { period: usualPeriod, ...period };
  return { ...when, key, model };
}

/** What is wrong with a range; null when it can be shown. */
export function rangeError({ from, to }: DayRange, now: number): string | null {
  const [first, last] = [dayOf(from), dayOf(to)];
  if (first === null || last === null) return "Enter both days.";
  const { min, max } = rangeBounds(now);
  if (last > Date.parse(max)) return "The last day is in the future.";
  if (first < Date.parse(min)) return `Usage is kept for ${mostDays} days.`;
  return first > last ? "The first day must not be after the last." : null;
}

/** The first and the last day that can be chosen. */
export function rangeBounds(now: number): { min: string; max: string } {
  return { min: dayText(now - (mostDays - 1) * dayMs), max: dayText(now) };
}

/** The days that a period touches, to begin with when someone wants days of their own. */
export function daysOf(period: PeriodId, now: number): DayRange {
  return { from: dayText(Date.parse(usagePeriod(period, now).from)), to: dayText(now) };
}

export function periodOf(period: UsageChoice["period"], now: number): UsagePeriod {
  if (typeof period === "string") return usagePeriod(period, now);
  const from = Date.parse(period.from);
  const to = Date.parse(period.to) + dayMs;
  const step = to - from <= mostDaysByHour * dayMs ? "hour" : "day";
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step };
}

const dayText = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Null for what is no date: "2026-02-30", "yesterday". */
function dayOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const moment = Date.parse(text);
  return Number.isNaN(moment) || dayText(moment) !== text ? null : moment;
}
