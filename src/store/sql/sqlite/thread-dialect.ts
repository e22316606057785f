/**
 * SQLite in threads, as Kysely takes it: one thread with the connection that writes, others that read. A read outside
 * a transaction goes to the reader with the least to do. Readers never wait for a writer, nor it for them (write-ahead
 * logging), and a read sees all that was committed before it began, so whoever awaits a write finds it afterwards.
 * Everything else goes to the thread that writes.
 */
import {
  DeleteQueryNode,
  InsertQueryNode,
  RawNode,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  UpdateQueryNode,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import { asStoreError, type OnUnavailable } from "../unavailable.js";
import type { Parameter, Result, Statement } from "./messages.js";
import { SqliteThread, unavailable, type ThreadLimits } from "./sqlite-thread.js";
import { WriteTurns } from "./write-turns.js";

export interface ThreadsOptions extends Partial<ThreadLimits> {
  /** Two, so that a long report does not hold up the lookup of a key. */
  readers?: number;
  /** Where threads begin. Passed in for tests. */
  workerFile?: URL;
}

const limits: ThreadLimits = { queued: 5_000, answerMs: 30_000, restartMs: 1_000 };

export function threadDialect(
  path: string,
  { readers = 2, workerFile, ...own }: ThreadsOptions,
  onUnavailable?: OnUnavailable,
): Dialect {
  const options = { ...limits, ...own, path, workerFile };
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () =>
      new ThreadDriver({
        writer: new SqliteThread({ ...options, readOnly: false }),
        readers: Array.from({ length: readers }, () => new SqliteThread({ ...options, readOnly: true })),
        turns: new WriteTurns(options),
        onUnavailable,
      }),
  };
}

interface Threads {
  writer: SqliteThread;
  readers: readonly SqliteThread[];
  turns: WriteTurns;
  onUnavailable: OnUnavailable;
}

class ThreadDriver implements Driver {
  constructor(private readonly threads: Threads) {}

  /** Further readers are started by the first read that finds the others busy. */
  async init(): Promise<void> {
    for (const thread of [this.threads.writer, ...this.threads.readers.slice(0, 1)]) thread.start();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new ThreadConnection(this.threads);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).commit();
  }

  /** Sent when the connection is released. */
  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release();
  }

  /** After all that has been asked for. */
  async destroy(): Promise<void> {
    const { writer, readers, turns } = this.threads;
    await turns.transaction().catch(() => undefined);
    await Promise.all([writer, ...readers].map((thread) => thread.close()));
  }
}

function own(connection: DatabaseConnection): ThreadConnection {
  if (connection instanceof ThreadConnection) return connection;
  throw new TypeError("A connection of another driver.");
}

interface OpenTransaction {
  /** Which thread it was begun in. */
  generation: number;
  /** A statement had no answer, so nobody knows what the transaction holds: it can only be rolled back. */
  isLost: boolean;
  endTurn: () => void;
}

/** What one caller does. Its own until it is released. */
class ThreadConnection implements DatabaseConnection {
  #transaction: OpenTransaction | null = null;

  constructor(private readonly threads: Threads) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = { sql: query.sql, parameters: query.parameters.map(toParameter) };
    const { rows, changes, lastInsertRowid } = await this.#explained(() => {
      if (this.#transaction !== null) return this.#within({ ...statement, isGroupable: false });
      if (isRead(query)) return this.#reader().ask({ ...statement, isGroupable: false });
      const { turns, writer } = this.threads;
      return turns.single(() => writer.ask({ ...statement, isGroupable: isWrite(query) }));
    });
    return {
      // The rows are what the query says they are, as with every driver.
      rows: rows as R[],
      ...(changes === null ? {} : { numAffectedRows: BigInt(changes) }),
      ...(lastInsertRowid === null ? {} : { insertId: BigInt(lastInsertRowid) }),
    };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  /** Takes the write lock at once: later, SQLite would fail without waiting where another process wrote in between. */
  async begin(): Promise<void> {
    const { turns, writer } = this.threads;
    const endTurn = await this.#explained(() => turns.transaction());
    this.#transaction = { generation: writer.generation, isLost: false, endTurn };
    await this.#explained(() => this.#within(bare("begin immediate")));
  }

  async commit(): Promise<void> {
    await this.#explained(() => this.#within(bare("commit")));
    this.#end();
  }

  /** A transaction that was not committed is rolled back, before anything else reaches the thread. */
  release(): void {
    if (this.#transaction?.generation === this.threads.writer.generation)
      this.threads.writer.tell(bare("rollback"));
    this.#end();
  }

  #end(): void {
    this.#transaction?.endTurn();
    this.#transaction = null;
  }

  /** The thread that the transaction is in may have ended. In the next one, a statement would be one by itself. */
  async #within(statement: Statement): Promise<Result> {
    const { writer } = this.threads;
    const transaction = this.#transaction;
    if (transaction === null || transaction.isLost || transaction.generation !== writer.generation) {
      throw unavailable("ECONNRESET", "The transaction is lost.");
    }
    try {
      return await writer.ask(statement, { isAdmitted: true });
    } catch (error) {
      transaction.isLost = !isAnswer(error);
      throw error;
    }
  }

  #reader(): SqliteThread {
    return this.threads.readers.reduce(
      (best, reader) => (reader.load < best.load ? reader : best),
      this.threads.readers[0] ?? this.threads.writer,
    );
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asStoreError(error, this.threads.onUnavailable);
    }
  }
}

/** SQLite's own errors have its codes; any other is about the way to it. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");

const bare = (sql: string): Statement => ({ sql, parameters: [], isGroupable: false });

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/i.test(sql));

/** What may be part of a larger transaction. Others, such as `vacuum`, may not. */
const isWrite = ({ query, sql }: CompiledQuery): boolean =>
  InsertQueryNode.is(query) ||
  UpdateQueryNode.is(query) ||
  DeleteQueryNode.is(query) ||
  (RawNode.is(query) && /^\s*(insert|update|delete)\b/i.test(sql));

/** The native library ends the process on kinds that it does not know. */
function toParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return value;
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  // A copy of these bytes alone: a Buffer is often a window on memory that it shares with others.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  throw new TypeError("A statement has a parameter of a kind that SQLite cannot store.");
}
