/** Limits and quotas of plans, keys, teams and members, as options and in what is printed. */
import type { Command } from "commander";
import type { KeyLimits, Quotas } from "../core/entities.js";

export type QuotaOptions = Partial<Record<keyof Quotas, number | "none">>;

export type LimitOptions = QuotaOptions &
  Partial<Record<"requestsPerMinute" | "tokensPerMinute" | "concurrent", number | "none">>;

/** `without` says what 'none' means, where it may be given. */
export const quotaOptions = <C extends Command>(
  command: C,
  parse: (text: string) => number | "none",
  without = "",
): C =>
  command
    .option("--requests-per-day <n>", `a quota of requests by the calendar day${without}`, parse)
    .option("--tokens-per-day <n>", "likewise, for tokens", parse)
    .option("--requests-per-month <n>", `a quota of requests by the calendar month${without}`, parse)
    .option("--tokens-per-month <n>", "likewise, for tokens", parse);

/** What is not given stays as it is now. */
export const changedQuotas = (now: Quotas, options: QuotaOptions): Quotas => ({
  requestsPerDay: changed(now.requestsPerDay, options.requestsPerDay),
  tokensPerDay: changed(now.tokensPerDay, options.tokensPerDay),
  requestsPerMonth: changed(now.requestsPerMonth, options.requestsPerMonth),
  tokensPerMonth: changed(now.tokensPerMonth, options.tokensPerMonth),
});

export const changedLimits = (now: KeyLimits, options: LimitOptions): KeyLimits => ({
  requestsPerMinute: changed(now.requestsPerMinute, options.requestsPerMinute),
  tokensPerMinute: changed(now.tokensPerMinute, options.tokensPerMinute),
  concurrentRequests: changed(now.concurrentRequests, options.concurrent),
  ...changedQuotas(now, options),
});

export const changed = (now: number | null, given: number | "none" | undefined): number | null =>
  given === "none" ? null : (given ?? now);

/** Those that are set, such as `5000 tokens/day`. */
export const describeQuotas = (quotas: Quotas): string[] =>
  describe([
    [quotas.requestsPerDay, "requests/day"],
    [quotas.tokensPerDay, "tokens/day"],
    [quotas.requestsPerMonth, "requests/month"],
    [quotas.tokensPerMonth, "tokens/month"],
  ]);

export const describeLimits = (limits: KeyLimits): string[] => [
  ...describe([
    [limits.requestsPerMinute, "requests/min"],
    [limits.tokensPerMinute, "tokens/min"],
    [limits.concurrentRequests, "concurrent"],
  ]),
  ...describeQuotas(limits),
];

const describe = (limits: readonly (readonly [limit: number | null, of: string])[]): string[] =>
  limits.flatMap(([limit, of]) => (limit === null ? [] : [`${limit} ${of}`]));

export const quotasJson = (quotas: Quotas) => ({
  requests_per_day: quotas.requestsPerDay,
  tokens_per_day: quotas.tokensPerDay,
  requests_per_month: quotas.requestsPerMonth,
  tokens_per_month: quotas.tokensPerMonth,
});

export const limitsJson = (limits: KeyLimits) => ({
  requests_per_minute: limits.requestsPerMinute,
  tokens_per_minute: limits.tokensPerMinute,
  concurrent_requests: limits.concurrentRequests,
  ...quotasJson(limits),
});
