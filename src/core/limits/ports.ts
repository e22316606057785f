import type { QuotaUse } from "../usage/ports.js";

/** Written with usage (`UsageStore.add`), so that each is added once. */
export interface QuotaStore {
  /** On days that begin with `days`, by one key or by all of the account's. */
  used(accountId: string, keyId: string | null, days: string): Promise<QuotaUse>;
  /** True for exactly one of many callers. */
  claimWarning(accountId: string, name: string, at: Date): Promise<boolean>;
  /** Removes days before this one, and warnings before this time. */
  prune(beforeDay: string, before: Date): Promise<void>;
}
