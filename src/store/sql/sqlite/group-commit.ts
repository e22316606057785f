/**
 * Group commit. A commit waits for the disk, so single writes that queued up meanwhile are carried out in one
 * transaction and answered when that is on disk: one wait for all of them.
 *
 * One that fails, fails alone: SQLite takes back a statement that meets a constraint and goes on with the transaction.
 * What SQLite answers by rolling back all of it, such as a full disk, and a commit that fails leave nothing behind;
 * then each is carried out again by itself, so that those that fit succeed.
 */
import type Database from "libsql";
import { monotonicMs, type Answer, type Outcome, type Result, type Task } from "./messages.js";
import { toPlainError } from "./plain-error.js";

/** Nobody waits for more than these. */
const mostAtOnce = 256;

/** In order; only neighbours share a group. */
export function* toGroups(tasks: readonly Task[]): Generator<Task[], void, undefined> {
  let group: Task[] = [];
  for (const task of tasks) {
    const joins = task.isGroupable && group.at(-1)?.isGroupable === true && group.length < mostAtOnce;
    if (!joins && group.length > 0) {
      yield group;
      group = [];
    }
    group.push(task);
  }
  if (group.length > 0) yield group;
}

/** What is answered as done is on disk, unless it is part of a transaction that goes on. */
export function carryOut(database: Database.Database, group: readonly Task[]): Answer[] {
  const outcomes = group.length === 1 ? null : together(database, group);
  return group.map((task, index) => ({ id: task.id, outcome: outcomes?.[index] ?? run(database, task) }));
}

/** Null when nothing of it was done. */
function together(database: Database.Database, group: readonly Task[]): Outcome[] | null {
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
      result: statement.reader ? rows(statement.all(parameters)) : changes(statement.run(parameters)),
    };
  } catch (error) {
    return { type: "failed", error: toPlainError(error) };
  }
}

const rows = (found: unknown[]): Result => ({ rows: found, changes: null, lastInsertRowid: null });

const changes = ({ changes, lastInsertRowid }: Database.RunResult): Result => ({
  rows: [],
  changes,
  lastInsertRowid,
});
