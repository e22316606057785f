/**
 * What was used of a quota: what the database has, and what this server has not written yet, each once. While writing
 * fails, what it tried to write may be counted twice: rather too much than too little.
 */
import type { QuotaStore } from "./ports.js";
import type { QuotaUse } from "../usage/ports.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";

export function quotaUse(store: Pick<QuotaStore, "used">, usage: Pick<UsageRecorder, "reading" | "retry">) {
  return async (
    accountId: string,
    keyId: string | null,
    days: string,
    memberId: string | null = null,
  ): Promise<QuotaUse> => {
    await usage.retry();
    return usage.reading(accountId, async (_held, heldDays) => {
      const use = await store.used(accountId, keyId, days, memberId);
      for (const held of heldDays) {
        if (!held.day.startsWith(days) || (keyId !== null && held.keyId !== keyId)) continue;
        if (memberId !== null && held.memberId !== memberId) continue;
        use.requests += held.requests;
        use.tokens += held.tokens;
      }
      return use;
    });
  };
}
