/** The store that the configuration asks for. */
import type { Config } from "../config.js";
import { defaultPlan } from "../core/accounts.js";
import type { FullStore } from "../core/dashboard-ports.js";
import { systemClock, type Clock } from "../core/ports.js";
import { databasePath, openSqliteStore } from "./sqlite.js";

export interface OpenStoreOptions {
  clock?: Clock;
  /** How long to wait for a database server that is not there yet. */
  waitMs?: number;
}

/** Rejects with `StoreFault` when it cannot be opened. */
export async function openStore(
  { service, storage, limits }: Pick<Config, "service" | "storage" | "limits">,
  { clock = systemClock, waitMs = 0 }: OpenStoreOptions = {},
): Promise<FullStore> {
  const plan = defaultPlan(limits);
  if (storage.databaseUrl === undefined) {
    return openSqliteStore({ path: databasePath(service.dataDir), defaultPlan: plan, clock });
  }
  // Loaded here, since most installations do without.
  const { openPostgresStore } = await import("./postgres.js");
  const { databaseUrl: url, databasePoolSize: poolSize } = storage;
  return openPostgresStore({ url, poolSize, defaultPlan: plan, waitMs, clock });
}
