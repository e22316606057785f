/**
 * A Kysely dialect for SQLite in threads: one thread with the connection that writes, others that read.
 *
 * A read outside a transaction goes to the reader with the fewest statements to answer; another reader is started
 * only while all that run are busy. The first one is not started with the writer, since a thread takes memory and a
 * tenth of the time of a start: the writer reads, too, until a read would have to wait for it, or would let it wait.
 * Readers and the writer never block each other (write-ahead logging), and a read sees all that was committed before it
 * began, so a write that was awaited is found.
 *
 * Everything else goes to the writer, in order of arrival: a transaction has it to itself from begin to end, since it
 * is one connection; single statements hold it only while they are posted, so that those that queue up can share a
 * commit.
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
import { Semaphore } from "../../../core/semaphore.js";
import { asStoreError, type OnUnavailable } from "../unavailable.js";
import type { Parameter, Result, Statement } from "./messages.js";
import { queueFull, SqliteThread, unavailable, type ThreadLimits } from "./sqlite-thread.js";

export interface ThreadsOptions extends Partial<ThreadLimits> {
  /** Two, so that a long report does not delay the lookup of a key. */
  readers?: number;
  /** Replaces the worker's file in tests. */
  workerFile?: URL;
}

const limits: ThreadLimits = { queued: 5_000, answerMs: 30_000, restartMs: 1_000, busyMs: 20 };

export function threadDialect(
  path: string,
  { readers = 2, workerFile, ...own }: ThreadsOptions,
  onUnavailable?: OnUnavailable,
): Dialect {
  const options = { ...limits, ...own, path, workerFile };
  const writing = {
    permits: 1,
    maxWaiting: options.queued,
    maxWaitMs: options.answerMs,
    refusal: (cause: string) => (cause === "full" ? queueFull() : transactionTooSlow()),
  };
  return sqliteDialect(() =>
    threadDriver({
      writer: new SqliteThread({ ...options, readOnly: false }),
      readers: Array.from({ length: readers }, () => new SqliteThread({ ...options, readOnly: true })),
      writing: new Semaphore(writing),
      isInTransaction: false,
      onUnavailable,
    }),
  );
}

/** What SQLite is spoken to with, wherever it runs. */
export const sqliteDialect = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createDriver,
});

interface Threads {
  writer: SqliteThread;
  readers: readonly SqliteThread[];
  /** Held by the one that may post to the writer. */
  writing: Semaphore;
  /** The writer sees what is not committed. */
  isInTransaction: boolean;
  onUnavailable: OnUnavailable;
}

const threadDriver = (threads: Threads): Driver => ({
  init: async () => {
    threads.writer.start();
  },
  acquireConnection: async () => new ThreadConnection(threads),
  beginTransaction: (connection) => own(connection).begin(),
  commitTransaction: (connection) => own(connection).commit(),
  // The connection rolls back when it is released.
  rollbackTransaction: async () => {},
  releaseConnection: async (connection) => own(connection).release(),
  /** Once every statement is answered. */
  destroy: async () => {
    const { writer, readers, writing } = threads;
    await writing.acquire().catch(() => undefined);
    await Promise.all([writer, ...readers].map((thread) => thread.close()));
  },
});

function own(connection: DatabaseConnection): ThreadConnection {
  if (connection instanceof ThreadConnection) return connection;
  throw new TypeError("Not a connection of this driver.");
}

interface OpenTransaction {
  /** The thread that it was begun in. */
  generation: number;
  /** A statement had no answer, so it is unknown what the transaction holds: it can only be rolled back. */
  isLost: boolean;
  stopWriting: () => void;
}

/** Belongs to one caller until it is released. */
class ThreadConnection implements DatabaseConnection {
  #transaction: OpenTransaction | null = null;

  constructor(private readonly threads: Threads) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = { sql: query.sql, parameters: query.parameters.map(toParameter) };
    const { rows, changes } = await this.#translated(() => {
      if (this.#transaction !== null) return this.#within({ ...statement, isGroupable: false });
      if (isRead(query)) return chooseReader(this.threads, query).ask({ ...statement, isGroupable: false });
      return this.#single({ ...statement, isGroupable: isWrite(query) });
    });
    return {
      // As with every driver, the caller's type is trusted.
      rows: rows as R[],
      ...(changes === null ? {} : { numAffectedRows: BigInt(changes) }),
    };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  /** Takes the write lock immediately: later, SQLite would fail without waiting if another process wrote in between. */
  async begin(): Promise<void> {
    const { writing, writer } = this.threads;
    const stopWriting = await this.#translated(() => writing.acquire());
    this.#transaction = { generation: writer.generation, isLost: false, stopWriting };
    this.threads.isInTransaction = true;
    await this.#translated(() => this.#within(bare("begin immediate")));
  }

  async commit(): Promise<void> {
    await this.#translated(() => this.#within(bare("commit")));
    this.#end();
  }

  /** A transaction that was not committed is rolled back, before anything else reaches the thread. */
  release(): void {
    if (this.#transaction?.generation === this.threads.writer.generation)
      this.threads.writer.post(bare("rollback"));
    this.#end();
  }

  #end(): void {
    if (this.#transaction === null) return;
    this.threads.isInTransaction = false;
    this.#transaction.stopWriting();
    this.#transaction = null;
  }

  async #single(statement: Statement): Promise<Result> {
    const { writing, writer } = this.threads;
    const stopWriting = await writing.acquire();
    const answer = writer.ask(statement);
    stopWriting();
    return answer;
  }

  /** If the transaction's thread has ended, the statement must not run outside the transaction, in the next thread. */
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

  async #translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asStoreError(error, this.threads.onUnavailable);
    }
  }
}

/** Of those that run, the one with the least to do; one that does not run yet where all others are busy. */
function chooseReader(threads: Threads, query: CompiledQuery): SqliteThread {
  const { readers, writer, isInTransaction } = threads;
  const running = readers.filter(({ isRunning }) => isRunning);
  const isWriterIdle = writer.isRunning && !writer.isBusy && !isInTransaction;
  if (running.length === 0 && isWriterIdle && !mayTakeLong(query)) return writer;
  const isEachBusy = running.every(({ isBusy }) => isBusy);
  const next = isEachBusy ? readers.find(({ isRunning }) => !isRunning) : undefined;
  return next ?? running.reduce((best, reader) => (reader.load < best.load ? reader : best));
}

const transactionTooSlow = (): Error => unavailable("ETIMEDOUT", "Another transaction took too long.");

/** SQLite's own errors have its codes; any other means that there was no answer. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");

const bare = (sql: string): Statement => ({ sql, parameters: [], isGroupable: false });

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/i.test(sql));

/** A report: it reads many rows for each that it returns. */
const mayTakeLong = ({ sql }: CompiledQuery): boolean => /\b(group by|count\(|sum\()/i.test(sql);

/** Statements that may share a transaction with others; `vacuum`, for example, may not. */
const isWrite = ({ query, sql }: CompiledQuery): boolean =>
  InsertQueryNode.is(query) ||
  UpdateQueryNode.is(query) ||
  DeleteQueryNode.is(query) ||
  (RawNode.is(query) && /^\s*(insert|update|delete)\b/i.test(sql));

/** The native library aborts the process on types that it does not know. */
function toParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return value;
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  // Copied, since a Buffer is often a view of memory shared with others.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  throw new TypeError("A statement has a parameter of a type that SQLite cannot store.");
}
