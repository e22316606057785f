/** The store that the configuration asks for. */
import type { Config } from "../config.js";
import { defaultPlan } from "../core/accounts/accounts.js";
import type { FullStore } from "./full-store.js";
import { StoreUnavailable } from "../core/store.js";
import { systemClock, type Clock } from "../core/clock.js";
import { cannotOpenSqlite, databasePath, openSqliteStore } from "./sql/sqlite.js";
import { withUpgradeCopy } from "./sql/upgrade-copy.js";
import type { OnUnavailable } from "./sql/unavailable.js";

export interface OpenStoreOptions {
  clock?: Clock;
  /** How long to wait for a database server that is not up yet. */
  waitMs?: number;
  /** Called once when it does not answer immediately: what is waited for, and for how long. */
  onWait?: (place: string, waitMs: number) => void;
  /** Called with the error of each failing query, for the cause in the log. */
  onUnavailable?: OnUnavailable;
  /** For a server: SQLite runs in threads, off the event loop. */
  threads?: boolean;
  /** Called with the copy of the SQLite database that was taken before migrations run. */
  onUpgradeCopy?: (file: string) => void;
}

/** Rejects with `StoreError` when it cannot be opened. */
export async function openStore(
  { service, storage, limits }: Pick<Config, "service" | "storage" | "limits">,
  options: OpenStoreOptions = {},
): Promise<FullStore> {
  const { clock = systemClock, waitMs = 0, onWait, onUnavailable, threads = false, onUpgradeCopy } = options;
  const plan = defaultPlan(limits);
  if (storage.databaseUrl === undefined) {
    const path = databasePath(service.dataDir);
    return openSqliteStore({
      path,
      defaultPlan: plan,
      clock,
      onUnavailable,
      threads: threads ? {} : undefined,
      upgrade: withUpgradeCopy(path, { days: storage.upgradeCopyDays, onCopied: onUpgradeCopy }),
    });
  }
  // Imported here, since most installations do without.
  const { openPostgresStore } = await import("./sql/postgres.js");
  const { databaseUrl: url, databasePoolSize: poolSize } = storage;
  return openPostgresStore({ url, poolSize, defaultPlan: plan, waitMs, onWait, clock, onUnavailable });
}

/** An error of a store that was open, explained for the operator; any other error as it is. */
export async function explainUnavailable(
  error: unknown,
  { service, storage }: Pick<Config, "service" | "storage">,
): Promise<unknown> {
  if (!(error instanceof StoreUnavailable)) return error;
  if (storage.databaseUrl === undefined) return cannotOpenSqlite(databasePath(service.dataDir), error);
  const { cannotOpenPostgres } = await import("./sql/postgres-address.js");
  return cannotOpenPostgres(storage.databaseUrl, error);
}
