import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../core/store.js";
import { connectPostgres } from "./postgres.js";
import { connectSqlite } from "./sqlite.js";
import { asStoreError } from "./unavailable.js";

const withCode = (code: string): Error => Object.assign(new Error("an error"), { code });

describe("SQLite", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sotto-full-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("that has no room left is unavailable, for writing", async () => {
    const database = new Database(join(folder, "full.db"));
    database.exec("create table settings (name text primary key, value text not null)");
    database.pragma("max_page_count = 4");
    const db = connectSqlite(database);
    const write = (length: number) =>
      db
        .insertInto("settings")
        .values({ name: "a", value: "x".repeat(length) })
        .execute();
    await expect(write(100_000)).rejects.toBeInstanceOf(StoreUnavailable);
    await write(10);
    expect(await db.selectFrom("settings").selectAll().execute()).toHaveLength(1);
    await db.destroy();
  });

  it("that another process holds for too long is unavailable", async () => {
    const path = join(folder, "busy.db");
    const [holder, database] = [new Database(path), new Database(path)];
    holder.exec("create table settings (name text primary key, value text not null); begin exclusive");
    const db = connectSqlite(database);
    await expect(db.selectFrom("settings").selectAll().execute()).rejects.toBeInstanceOf(StoreUnavailable);
    holder.close();
    await db.destroy();
  });
});

it("a Postgres that accepts connections and says nothing is unavailable after a while", async () => {
  const sockets = new Set<{ destroy(): unknown }>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const db = connectPostgres(`postgres://ada:x@127.0.0.1:${port}/sotto`, { connectionTimeoutMillis: 100 });
  await expect(db.selectFrom("settings").selectAll().execute()).rejects.toBeInstanceOf(StoreUnavailable);
  await db.destroy();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

it.each([
  "57P01",
  "57014",
  "53100",
  "08006",
  "40P01",
  "25006",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOSPC",
  "EAI_AGAIN",
])("%s passes", (code) => {
  expect(asStoreError(withCode(code))).toBeInstanceOf(StoreUnavailable);
});

it.each(["23505", "42P01", "22021", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR"])("%s is a bug", (code) => {
  const error = withCode(code);
  expect(asStoreError(error)).toBe(error);
});

it("anything else is what it was", () => {
  const error = new TypeError("undefined is not a function");
  expect(asStoreError(error)).toBe(error);
});
