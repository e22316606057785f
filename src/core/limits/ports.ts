import type { QuotaUse } from "../usage/ports.js";

export interface DayUse extends QuotaUse {
  /** `2026-11-16` */
  day: string;
}

/** Written with usage (`UsageStore.add`), so that each is added once. */
export interface QuotaStore {
  /** On days that begin with `days`, by one key or by all of the account's; of a team, by one member's keys. */
  used(accountId: string, keyId: string | null, days: string, memberId?: string | null): Promise<QuotaUse>;
  /** By all keys of an account, from this day on, each day once. */
  byDay(accountId: string, from: string): Promise<DayUse[]>;
  /** The same for the accounts that are on each plan now. */
  byPlanAndDay(from: string): Promise<(DayUse & { planId: string })[]>;
  /** True for exactly one of many callers. */
  claimWarning(accountId: string, name: string, at: Date): Promise<boolean>;
  /** Removes days before this one, and warnings before this time. */
  prune(beforeDay: string, before: Date): Promise<void>;
}
