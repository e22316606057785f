/** The database, the keys in memory and the counters of limits, and whether they can be reached. */
import type { Config } from "../config.js";
import type { FullStore } from "../store/full-store.js";
import { KeyRing } from "../core/keys/key-ring.js";
import { causeOf, type Log } from "../log.js";
import type { Counters } from "../store/counters/counters.js";
import { openCounters } from "../store/counters/open-counters.js";
import { startNotice } from "../store/counters/redis-failure.js";
import { lockDataDir } from "../store/data-dir-lock.js";
import { openStore } from "../store/open-store.js";
import type { Context } from "./overrides.js";
import { shareOf } from "./process-count.js";
import type { OwnProcess } from "./process-link.js";

/** A database server that is started together with this one may take a while. */
const databaseWaitMs = 30_000;

export interface Storage {
  store: FullStore;
  database: DatabaseHealth;
  keys: KeyRing;
  counters: Counters;
}

export async function openStorage({ config, overrides, clock, log, closers }: Context): Promise<Storage> {
  const { ownProcess } = overrides;
  if (ownProcess === undefined) {
    const lock = lockDataDir(config.service.dataDir);
    closers.add({ close: () => lock.release() });
  }
  const database = new DatabaseHealth(log);
  const storage = sharedBy(config.storage, ownProcess);
  const opened = await openStore(
    { ...config, storage },
    {
      clock,
      threads: overrides.databaseThreads ?? true,
      waitMs: databaseWaitMs,
      onWait: (place, waitMs) =>
        overrides.onNotice?.(`Waiting for the database ${place} (up to ${waitMs / 1000} s) ...`),
      onUnavailable: (error) => database.noteError(error),
      onUpgradeCopy: (file) => {
        log.info("database copied before it is migrated");
        overrides.onNotice?.(`The database is migrated to this version. A copy from before is ${file}.`);
      },
    },
  );
  const store = closers.add(opened);
  const keys = closers.add(new KeyRing(store, clock));
  const onHealth = (health: keyof typeof redisMessages, cause?: string) =>
    log.warn(redisMessages[health], { cause });
  ownProcess?.link.onSilence((isSilent) =>
    log.warn(isSilent ? "owner of the processes unreachable" : "owner of the processes recovered"),
  );
  const counters = closers.add(
    await openCounters(storage, { clock, store, onHealth, owner: ownProcess?.link }),
  );
  const failure = counters.failure();
  if (failure !== null) overrides.onNotice?.(startNotice(config.storage.redisUrl, failure));
  return { store, database, keys, counters };
}

/** To each process its share of the connections to Postgres; to Redis each is a replica. */
const sharedBy = (storage: Config["storage"], ownProcess?: OwnProcess): Config["storage"] => ({
  ...storage,
  databasePoolSize: shareOf(storage.databasePoolSize, ownProcess),
  replicas: storage.replicas * (ownProcess?.count ?? 1),
});

class DatabaseHealth {
  isUp = true;
  /** The code of the last error of a query. */
  cause: string | undefined;

  constructor(private readonly log: Log) {}

  noteError(error: unknown): void {
    this.cause = causeOf(error);
  }

  /** To be called once for each change. */
  noteHealth(health: "ok" | "unreachable"): void {
    this.isUp = health === "ok";
    if (this.isUp) this.cause = undefined;
    this.log.warn(this.isUp ? "database recovered" : "database unavailable", { cause: this.cause });
  }
}

const redisMessages = {
  ok: "redis recovered",
  unreachable: "redis unreachable",
  refusing: "redis refuses commands: run 'sotto doctor'",
} as const;
