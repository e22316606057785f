/**
 * The filters of a usage page, as in its address: `?period=7d`, or `?from=2026-01-01&to=2026-01-31` for a custom
 * range, with `key` and `model`. Defaults are omitted; invalid values are ignored.
 */
import { isModelId, type ModelId } from "../../../../src/core/models.js";
import type { Filters } from "../../../hooks/use-url-filters.ts";
import { periods, usagePeriod, type PeriodId, type UsagePeriod } from "./usage-period.ts";

/** Whole days in UTC, both included: "2026-01-31". */
export interface DayRange {
  from: string;
  to: string;
}

/** Up to now, or a custom range. */
export type PeriodChoice = PeriodId | DayRange;

export interface UsageChoice {
  period: PeriodChoice;
  /** A key's id; empty for all. */
  key: string;
  model: ModelId | "";
}

/** As far back as usage is kept and can be read at once. */
export const mostDays = 400;
/** Longer ranges are shown by day. */
const mostDaysByHour = 7;
const dayMs = 86_400_000;

const usualPeriod: PeriodId = "24h";

type PeriodFilterValues = Filters<"period" | "from" | "to">;
type UsageFilterValues = PeriodFilterValues & Filters<"key" | "model">;

export const usualPeriodFilters = (period: PeriodId = usualPeriod): PeriodFilterValues => ({
  period,
  from: "",
  to: "",
});
export const usualFilters: UsageFilterValues = { ...usualPeriodFilters(), key: "", model: "" };

export function choiceOf({ key, model, ...when }: UsageFilterValues, now: number): UsageChoice {
  return {
    period: periodChoiceOf(when, now),
    key: key.slice(0, 64),
    model: isModelId(model) ? model : "",
  };
}

/** The inverse of `choiceOf`. */
export const filtersOf = ({ period, key, model }: UsageChoice): UsageFilterValues => ({
  ...periodFiltersOf(period),
  key,
  model,
});

/** `usual` is for a page with another default. */
export function periodChoiceOf(
  { period, from, to }: PeriodFilterValues,
  now: number,
  usual: PeriodId = usualPeriod,
): PeriodChoice {
  const named = periods.find(({ id }) => id === period)?.id ?? usual;
  return rangeError({ from, to }, now) === null ? { from, to } : named;
}

/** The inverse of `periodChoiceOf`. */
export const periodFiltersOf = (period: PeriodChoice, usual: PeriodId = usualPeriod): PeriodFilterValues =>
  typeof period === "string" ? { period, from: "", to: "" } : { period: usual, ...period };

/** Why a range is invalid; null if it is valid. */
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

/** The days that a period covers, as the initial custom range. */
export function daysOf(period: PeriodId, now: number): DayRange {
  return { from: dayText(Date.parse(usagePeriod(period, now).from)), to: dayText(now) };
}

export function periodOf(period: PeriodChoice, now: number): UsagePeriod {
  if (typeof period === "string") return usagePeriod(period, now);
  const from = Date.parse(period.from);
  const to = Date.parse(period.to) + dayMs;
  const step = to - from <= mostDaysByHour * dayMs ? "hour" : "day";
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step };
}

const dayText = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** Null for an invalid date: "2026-02-30", "yesterday". */
function dayOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const moment = Date.parse(text);
  return Number.isNaN(moment) || dayText(moment) !== text ? null : moment;
}
