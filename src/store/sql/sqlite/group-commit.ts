/**
 * Group commit. A commit waits for the disk, so single writes that queued up in the meantime are executed in one
 * transaction and answered when that is on disk: one fsync for all of them.
 *
 * A statement that fails does not fail the others: SQLite undoes a statement that violates a constraint and continues
 * the transaction. Where SQLite rolls back the whole transaction, as on a full disk, or the commit fails, the
 * statements are executed again one at a time.
 */
import type Database from "libsql";
import { monotonicMs, toPlainError, type Answer, type Outcome, type Task } from "./messages.js";

/** Bounds how long a statement waits for the others of its group. */
const maxGroupSize = 256;

/** In order: only adjacent statements share a group. */
export function* toGroups(tasks: readonly Task[]): Generator<Task[], void, undefined> {
  let group: Task[] = [];
  for (const task of tasks) {
    const joins = task.isGroupable && group.at(-1)?.isGroupable === true && group.length < maxGroupSize;
    if (!joins && group.length > 0) {
      yield group;
      group = [];
    }
    group.push(task);
  }
  if (group.length > 0) yield group;
}

/** What is answered as done is on disk, unless it is part of a transaction that continues. */
export function executeGroup(database: Database.Database, group: readonly Task[]): Answer[] {
  const outcomes = group.length === 1 ? null : inOneTransaction(database, group);
  return group.map((task, index) => ({ id: task.id, outcome: outcomes?.[index] ?? run(database, task) }));
}

/** Null when the transaction was rolled back. */
function inOneTransaction(database: Database.Database, group: readonly Task[]): Outcome[] | null {
  try {
    database.exec("begin immediate");
  } catch (error) {
    const outcome: Outcome = { type: "failed", error: toPlainError(error) };
    return group.map(() => outcome);
  }
  const outcomes: Outcome[] = [];
  for (const task of group) {
    outcomes.push(run(database, task));
    if (!database.inTransaction) return null;
  }
  try {
    database.exec("commit");
    return outcomes;
  } catch {
    if (database.inTransaction) database.exec("rollback");
    return null;
  }
}

function run(database: Database.Database, { sql, parameters, beginsBeforeMs }: Task): Outcome {
  if (beginsBeforeMs !== null && monotonicMs() > beginsBeforeMs) return { type: "expired" };
  try {
    const statement = database.prepare(sql);
    return {
      type: "done",
      result: statement.reader
        ? { rows: statement.all(parameters), changes: null }
        : { rows: [], changes: statement.run(parameters).changes },
    };
  } catch (error) {
    return { type: "failed", error: toPlainError(error) };
  }
}
