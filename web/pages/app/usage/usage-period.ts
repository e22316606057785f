/**
 * The selectable periods and their times. The end is the next whole hour or UTC day, so that
 * the query, and its cache key, stay the same until then.
 */
import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";

export type PeriodId = "24h" | "7d" | "30d" | "90d";
export type Step = "hour" | "day";

export interface UsagePeriod {
  from: string;
  to: string;
  step: Step;
}

export const periods: readonly { id: PeriodId; label: string; hours: number; step: Step }[] = [
  { id: "24h", label: "24 hours", hours: 24, step: "hour" },
  { id: "7d", label: "7 days", hours: 7 * 24, step: "hour" },
  { id: "30d", label: "30 days", hours: 30 * 24, step: "day" },
  { id: "90d", label: "90 days", hours: 90 * 24, step: "day" },
];

const hourMs = 3_600_000;
const stepMs: Record<Step, number> = { hour: hourMs, day: 24 * hourMs };

export function usagePeriod(id: PeriodId, now: number): UsagePeriod {
  const { hours, step } = periods.find((period) => period.id === id) ?? { hours: 24, step: "hour" };
  const end = Math.floor(now / stepMs[step]) * stepMs[step] + stepMs[step];
  return { from: new Date(end - hours * hourMs).toISOString(), to: new Date(end).toISOString(), step };
}

/** One bucket for each step of the period; empty steps are filled with zeros. */
export function withEmptyBuckets(buckets: readonly UsageBucket[], period: UsagePeriod): UsageBucket[] {
  const known = new Map(buckets.map((bucket) => [Date.parse(bucket.start), bucket]));
  const all: UsageBucket[] = [];
  for (let start = Date.parse(period.from); start < Date.parse(period.to); start += stepMs[period.step]) {
    all.push(known.get(start) ?? emptyBucket(new Date(start).toISOString()));
  }
  return all;
}

/**
 * Where a bucket stands on the axis. Days are counted in UTC but drawn at that date's midnight in the reader's
 * zone, so that they are labelled with their own date and not with the evening before.
 */
export function axisMoment(start: string, step: Step): string {
  if (step === "hour") return start;
  const day = new Date(start);
  return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()).toISOString();
}

function emptyBucket(start: string): UsageBucket {
  return {
    start,
    requests: 0,
    errors: 0,
    rateLimited: 0,
    unavailable: 0,
    promptTokens: 0,
    completionTokens: 0,
    firstTokenMsP50: null,
    firstTokenMsP95: null,
  };
}
