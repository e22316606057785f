/**
 * Changes that running servers follow, in SQL. A change is appended in the transaction that makes it.
 *
 * Its number comes from one row that every such transaction updates, and so locks until it commits: numbers
 * become visible in order and without gaps. (A database sequence is not transactional: a reader of "all after 7"
 * could miss a 6 that commits later.) The change is appended last in its transaction, so that no other lock is waited
 * for while this one is held.
 */
import { sql } from "kysely";
import type { Clock } from "../../core/clock.js";
import { type Change, type ChangeKind, changeKinds, type ChangeStore } from "../../core/replicas/changes.js";
import type { Db, DbTransaction } from "./schema.js";
import { deleteInBatches } from "./statements.js";

export class SqlChanges implements ChangeStore {
  readonly #listeners: (() => void)[] = [];

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    /** `within`: where all is part of a larger transaction, which appends them in its end. */
    private readonly options: { locksRows: boolean; within: WholeTransaction | undefined },
  ) {}

  async append(kind: ChangeKind, subject: string): Promise<void> {
    await this.with(kind, subject, async () => {});
  }

  async last(): Promise<number> {
    const row = await this.db.selectFrom("change_counter").select("last").executeTakeFirstOrThrow();
    return row.last;
  }

  async readAfter(id: number, limit: number): Promise<Change[]> {
    const rows = await this.db
      .selectFrom("changes")
      .select(["id", "kind", "subject"])
      .where("id", ">", id)
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map((row) => ({ id: row.id, kind: toKind(row.kind), subject: row.subject }));
  }

  onAppended(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async prune(before: Date): Promise<void> {
    await deleteInBatches(this.db, "changes", { at: ["<", before] });
  }

  /** Carries out a change and appends it, in one transaction. */
  with<T>(kind: ChangeKind, subject: string, change: (transaction: DbTransaction) => Promise<T>): Promise<T> {
    return this.transaction(async (transaction, note) => {
      const changed = await change(transaction);
      note(kind, subject);
      return changed;
    });
  }

  /** The same for work that only then knows what it changes, if anything. */
  async transaction<T>(work: (transaction: DbTransaction, note: NoteChange) => Promise<T>): Promise<T> {
    const { within } = this.options;
    if (within !== undefined) return work(within.transaction, within.note);
    const noted: [ChangeKind, string][] = [];
    const result = await this.db.transaction().execute(async (transaction) => {
      const done = await work(transaction, (kind, subject) => void noted.push([kind, subject]));
      for (const [kind, subject] of noted) await this.#appendIn(transaction, kind, subject);
      return done;
    });
    if (noted.length > 0) for (const listener of this.#listeners) listener();
    return result;
  }

  /**
   * SQLite overwrites what is deleted (`secure_delete`), but its write-ahead log still has the pages as they were. Another
   * process that reads at this moment may prevent it, which is why it is repeated every hour.
   */
  async eraseTraces(): Promise<void> {
    const { locksRows, within } = this.options;
    if (!locksRows && within === undefined) await sql`pragma wal_checkpoint(truncate)`.execute(this.db);
  }

  async #appendIn(transaction: DbTransaction, kind: ChangeKind, subject: string): Promise<void> {
    const { last: id } = await transaction
      .updateTable("change_counter")
      .set((set) => ({ last: set("last", "+", 1) }))
      .returning("last")
      .executeTakeFirstOrThrow();
    const at = this.clock.now().getTime();
    await transaction.insertInto("changes").values({ id, kind, subject, at }).execute();
  }
}

/** Noted changes are appended when the work is done. */
export type NoteChange = (kind: ChangeKind, subject: string) => void;

export interface WholeTransaction {
  transaction: DbTransaction;
  note: NoteChange;
}

/** A kind that a newer version wrote may matter to anything. */
const toKind = (text: string): ChangeKind => changeKinds.find((kind) => kind === text) ?? "plans_changed";
