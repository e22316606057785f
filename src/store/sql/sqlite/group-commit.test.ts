import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { executeGroup, toGroups } from "./group-commit.js";
import { monotonicMs, type Task } from "./messages.js";

let lastId = 0;
const task = (sql: string, parameters: Task["parameters"] = [], over: Partial<Task> = {}): Task => ({
  id: ++lastId,
  sql,
  parameters,
  isGroupable: true,
  beginsBeforeMs: null,
  ...over,
});
const insert = (name: string, value = "v", over: Partial<Task> = {}): Task =>
  task("insert into settings (name, value) values (?, ?)", [name, value], over);

describe("groups", () => {
  const alone = (sql: string) => task(sql, [], { isGroupable: false });
  const grouped = (tasks: Task[]): string[][] =>
    [...toGroups(tasks)].map((group) => group.map(({ sql }) => sql));

  it("consist of adjacent single writes, in order", () => {
    const tasks = [task("a"), task("b"), alone("begin"), alone("c"), alone("commit"), task("d"), task("e")];
    expect(grouped(tasks)).toEqual([["a", "b"], ["begin"], ["c"], ["commit"], ["d", "e"]]);
    expect(grouped([])).toEqual([]);
  });

  it("are bounded", () => {
    const sizes = [...toGroups(Array.from({ length: 600 }, () => task("a")))].map(({ length }) => length);
    expect(sizes).toEqual([256, 256, 88]);
  });
});

describe("a group", () => {
  let database: Database.Database;
  beforeEach(() => {
    database = new Database(":memory:");
    database.exec("create table settings (name text primary key, value text not null)");
  });
  afterEach(() => {
    database.close();
  });

  const names = () => database.prepare("select name from settings order by name").pluck().all();
  const outcomes = (group: Task[]) =>
    executeGroup(database, group).map(({ outcome }) =>
      outcome.type === "failed" ? outcome.error.code : outcome.type,
    );

  it("is answered by the ids of its statements, with what each of them found", () => {
    const group = [insert("a"), task("insert into settings values ('b', 'v') returning name"), insert("c")];
    expect(executeGroup(database, group)).toMatchObject([
      { id: group[0]?.id, outcome: { type: "done", result: { rows: [], changes: 1 } } },
      { id: group[1]?.id, outcome: { type: "done", result: { rows: [{ name: "b" }], changes: null } } },
      { id: group[2]?.id, outcome: { type: "done", result: { rows: [], changes: 1 } } },
    ]);
    expect(database.inTransaction).toBe(false);
  });

  it("fails only the statement that violates a constraint", () => {
    expect(outcomes([insert("a"), insert("a"), insert("b")])).toEqual([
      "done",
      "SQLITE_CONSTRAINT_PRIMARYKEY",
      "done",
    ]);
    expect(names()).toEqual(["a", "b"]);
  });

  it("undoes the rows that a failing statement had already written", () => {
    const both = task("insert into settings values ('b', 'v'), ('a', 'v')");
    expect(outcomes([insert("a"), both, insert("c")])).toEqual([
      "done",
      "SQLITE_CONSTRAINT_PRIMARYKEY",
      "done",
    ]);
    expect(names()).toEqual(["a", "c"]);
  });

  it("fails only the statement for which there is no space", () => {
    database.pragma("max_page_count = 4");
    expect(outcomes([insert("a"), insert("b", "x".repeat(100_000)), insert("c")])).toEqual([
      "done",
      "SQLITE_FULL",
      "done",
    ]);
    expect(names()).toEqual(["a", "c"]);
  });

  it("is executed one at a time where a statement rolled back all of it", () => {
    const rollsBack = task("insert or rollback into settings values ('a', 'again')");
    expect(outcomes([insert("a"), rollsBack, insert("b")])).toEqual([
      "done",
      "SQLITE_CONSTRAINT_PRIMARYKEY",
      "done",
    ]);
    expect(names()).toEqual(["a", "b"]);
    expect(database.inTransaction).toBe(false);
  });

  it("is executed one at a time where its commit fails", () => {
    database.exec(`pragma foreign_keys = on;
      create table owners (name text references settings deferrable initially deferred)`);
    const dangling = task("insert into owners values ('nobody')");
    expect(outcomes([insert("a"), dangling, insert("b")])).toEqual([
      "done",
      "SQLITE_CONSTRAINT_FOREIGNKEY",
      "done",
    ]);
    expect(names()).toEqual(["a", "b"]);
    expect(database.inTransaction).toBe(false);
  });

  it("skips statements whose callers have given up", () => {
    const late = insert("late", "v", { beginsBeforeMs: monotonicMs() - 1 });
    const inTime = insert("in time", "v", { beginsBeforeMs: monotonicMs() + 60_000 });
    expect(outcomes([late, inTime])).toEqual(["expired", "done"]);
    expect(names()).toEqual(["in time"]);
  });
});
