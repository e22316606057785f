/** Every limit that holds for a key, its own before its account's, with what is left of each. Reading counts nothing. */
import type { KeyRecord } from "../entities.js";
import type { Limits } from "../limits/limits.js";

export interface LimitNow {
  /** As in `tokens_per_day`. */
  name: string;
  scope: "key" | "account";
  limit: number;
  remaining: number;
  /** Until all of it is free again; null where nothing is used, and where no clock frees it. */
  resetMs: number | null;
}

export async function limitsNow(
  limits: Pick<Limits, "readings" | "readConcurrency">,
  caller: KeyRecord,
): Promise<LimitNow[]> {
  const [counted, held] = await Promise.all([limits.readings(caller), limits.readConcurrency(caller)]);
  return [
    ...counted.map(({ name, scope, limit, remaining, resetMs, resetsAt }) => ({
      name,
      scope,
      limit,
      remaining,
      // A quota starts over at a time that everybody knows, used or not.
      resetMs: remaining === limit && resetsAt === null ? null : resetMs,
    })),
    ...held.map((limit) => ({ ...limit, resetMs: null })),
  ];
}
