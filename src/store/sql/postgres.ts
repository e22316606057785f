/**
 * The store in Postgres, for installations with several replicas. The same tables, queries and migrations as in
 * SQLite.
 *
 * Every wait has a limit: for a connection (new, or a free one of the pool), for a lock, for a statement on the
 * server, and for its answer on this side, in case the server or the network stops responding. Past it, the caller
 * gets `StoreUnavailable`. A connection that broke or timed out leaves the pool; the next query opens another, so
 * nothing has to be restarted when the database recovers.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  Kysely,
  PostgresDialect,
  sql,
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from "kysely";
import { Pool, types, type PoolClient, type PoolConfig } from "pg";
import { StoreUnavailable } from "../../core/store.js";
import { systemClock, type Clock } from "../../core/clock.js";
import type { Plan } from "../../core/entities.js";
import { migrate } from "./migrate.js";
import { cannotOpenPostgres, placeOf, postgresAddress } from "./postgres-address.js";
import type { Db, Schema } from "./schema.js";
import { FullStore } from "../full-store.js";
import { StoreError } from "../store-error.js";
import { asStoreError, type OnUnavailable } from "./unavailable.js";

const connectTimeoutMs = 3_000;
const lockTimeoutMs = 4_000;
const statementTimeoutMs = 8_000;
const answerTimeoutMs = 10_000;
/** A server that is up answers sooner. */
const noticeAfterMs = 300;
const migrationTimeoutMs = 10 * 60_000;
/** Any number that no other program uses on this database. */
const migrationLock = 7_308_895_132;

export interface PostgresStoreOptions {
  url: string;
  /** Maximum number of connections. */
  poolSize: number;
  /** Inserted when the database is created; from then on the row in the database counts. */
  defaultPlan: Plan;
  /** How long to wait for a server that is not up yet. */
  waitMs?: number;
  /** Called once when the server does not answer immediately: what is waited for, and for how long. */
  onWait?: ((place: string, waitMs: number) => void) | undefined;
  clock?: Clock;
  onUnavailable?: OnUnavailable;
  /** Other time limits, for tests. */
  settings?: PoolConfig;
}

/** Opens the database, migrating it where needed. Rejects with `StoreError` when it cannot. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<FullStore> {
  const { url, waitMs = 0, clock = systemClock } = options;
  const db = connectPostgres(url, { ...options.settings, max: options.poolSize }, options.onUnavailable);
  const store = new FullStore(db, clock, { locksRows: true });
  try {
    const noticed = () => options.onWait?.(placeOf(url), waitMs);
    await untilUp(() => migratePostgres(url, options.defaultPlan), waitMs, noticed);
    await store.ping();
    return store;
  } catch (error) {
    await store.close();
    throw error instanceof StoreError ? error : cannotOpenPostgres(url, error);
  }
}

/** A connection pool for Kysely. Connects with the first query. */
export function connectPostgres(url: string, settings: PoolConfig = {}, onUnavailable?: OnUnavailable): Db {
  const pool = new Pool({
    ...postgresAddress(url),
    application_name: "sotto",
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
    types: numbersAsNumbers,
    ...settings,
  });
  // An idle connection that breaks is dropped by the pool; one in use reports through its query as well.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guarded(pool, onUnavailable) }) });
}

/** One connection for what may take minutes. */
export const connectPatiently = (url: string): Db =>
  connectPostgres(url, {
    max: 1,
    lock_timeout: migrationTimeoutMs,
    statement_timeout: migrationTimeoutMs,
    query_timeout: migrationTimeoutMs,
    idle_in_transaction_session_timeout: 0,
  });

async function migratePostgres(url: string, defaultPlan: Plan): Promise<void> {
  const db = connectPatiently(url);
  try {
    await migrate(db, { bytesType: "bytea", defaultPlan }, postgresMigration);
  } finally {
    await db.destroy();
  }
}

export const postgresMigration = {
  /** Held until the transaction ends, also when its process dies. */
  lock: async (transaction: Db): Promise<void> => {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
  },
  /** Reads the catalogue: `to_regclass` may answer from before the wait for the lock. */
  hasBookkeeping: async (db: Db): Promise<boolean> => {
    const found = await sql`select 1 from pg_catalog.pg_class as class
      join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
      where class.relname = 'migrations' and namespace.nspname = any(current_schemas(false))`.execute(db);
    return found.rows.length > 0;
  },
};

async function untilUp(open: () => Promise<void>, waitMs: number, onWait: () => void): Promise<void> {
  const givesUpAtMs = performance.now() + waitMs;
  const notice = setTimeout(onWait, noticeAfterMs);
  try {
    for (;;) {
      try {
        await open();
        return;
      } catch (error) {
        if (!mayStillCome(error) || performance.now() >= givesUpAtMs) throw error;
        await sleep(250);
      }
    }
  } finally {
    clearTimeout(notice);
  }
}

/** Waiting does not help against a wrong password or certificate. */
function mayStillCome(error: unknown): boolean {
  if (!(error instanceof StoreUnavailable) || !(error.cause instanceof Error)) return false;
  const { cause } = error;
  const code = "code" in cause ? String(cause.code) : "";
  return (
    /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|57P)/.test(code) || /timeout|terminated/.test(cause.message)
  );
}

/** Times, counts and sums of counts (`numeric`) are far below where a number loses precision. */
const numbersAsNumbers: PoolConfig["types"] = {
  getTypeParser: (oid, format): unknown =>
    oid === types.builtins.INT8 || oid === types.builtins.NUMERIC
      ? (text: string) => Number(text)
      : types.getTypeParser(oid, format),
};

/** Translates temporary errors to `StoreUnavailable`, and discards connections that may still run a lost query. */
function guarded(pool: Pool, onUnavailable: OnUnavailable): PostgresPool {
  const clients = new WeakMap<PoolClient, GuardedClient>();
  return {
    connect: async () => {
      try {
        const client = await pool.connect();
        // The same object for the same connection: Kysely knows connections by it.
        const known = clients.get(client) ?? new GuardedClient(client, onUnavailable);
        clients.set(client, known);
        return known;
      } catch (error) {
        throw asStoreError(error, onUnavailable);
      }
    },
    end: () => pool.end(),
  };
}

class GuardedClient implements PostgresPoolClient {
  #isLost = false;

  constructor(
    private readonly client: PostgresPoolClient & Pick<PoolClient, "release">,
    private readonly onUnavailable: OnUnavailable,
  ) {}

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== "string") throw new TypeError("Cursors are not used here.");
    return this.#run(text, parameters);
  }

  release(): void {
    this.client.release(this.#isLost);
  }

  async #run<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // A rollback would wait behind the query that has no answer.
    if (this.#isLost) throw new StoreUnavailable(new Error("The connection is lost."));
    try {
      return await this.client.query<R>(text, parameters);
    } catch (error) {
      // The server's own answers have a severity; without one the connection failed.
      const isAnswer = error instanceof Error && "severity" in error;
      if (!isAnswer) this.#isLost = true;
      throw asStoreError(error, this.onUnavailable);
    }
  }
}
