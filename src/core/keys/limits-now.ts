/** Every limit that holds for a key, its own before its account's, with what is left of each. Reading counts nothing. */
import type { KeyRecord } from "../ports.js";
import type { Limits, RateReading } from "../serving/limits.js";

export interface LimitNow {
  name: "requests_per_minute" | "tokens_per_minute" | "concurrent_requests";
  scope: "key" | "account";
  limit: number;
  remaining: number;
  /** Until all of it is free again; null where nothing is used, and where no clock frees it. */
  resetMs: number | null;
}

export async function limitsNow(
  limits: Pick<Limits, "read" | "readOwn">,
  caller: KeyRecord,
): Promise<LimitNow[]> {
  const [own, account] = await Promise.all([limits.readOwn(caller), limits.read(caller)]);
  return [
    ...rate("requests_per_minute", "key", own.requests),
    ...rate("requests_per_minute", "account", account.requests),
    ...rate("tokens_per_minute", "key", own.tokens),
    ...rate("tokens_per_minute", "account", account.tokens),
    ...concurrency("key", caller.key.limits.concurrentRequests, own.held),
    ...concurrency("account", caller.plan.concurrentRequests, account.held),
  ];
}

function rate(name: LimitNow["name"], scope: LimitNow["scope"], reading: RateReading | null): LimitNow[] {
  if (reading === null) return [];
  const { limit, remaining, resetMs } = reading;
  return [{ name, scope, limit, remaining, resetMs: remaining === limit ? null : resetMs }];
}

function concurrency(scope: LimitNow["scope"], limit: number | null, held: number): LimitNow[] {
  if (limit === null) return [];
  // A limit that was lowered may be below what runs already.
  const remaining = Math.max(0, limit - held);
  return [{ name: "concurrent_requests", scope, limit, remaining, resetMs: null }];
}
