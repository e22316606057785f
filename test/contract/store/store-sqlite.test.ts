import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/core/store.js";
import { databasePath, openDatabase, openSqliteStore } from "../../../src/store/sql/sqlite.js";
import { StoreError } from "../../../src/store/store-error.js";
import { openTemporaryStore, testPlan } from "../../support/stores/temporary-store.js";
import { describeStoreContract } from "./store.js";

describeStoreContract("SQLite", () => openTemporaryStore());

describe("the SQLite file", () => {
  let folder: string;
  let path: string;
  const opened: Store[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sotto-sqlite-"));
    path = databasePath(join(folder, "data"));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (defaultPlan = testPlan): Promise<Store> => {
    const store = await openSqliteStore({ path, defaultPlan });
    opened.push(store);
    return store;
  };
  const mode = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);
  const migrations = (): unknown[] => {
    const database = new Database(path);
    const numbers = database.prepare("select number from migrations order by number").pluck().all();
    database.close();
    return numbers;
  };

  it("is readable by its owner only, with its side files and its new folder", async () => {
    const store = await open();
    await store.setSetting("colour", "green");
    expect(await mode(path)).toBe("600");
    expect(await mode(`${path}-wal`)).toBe("600");
    expect(await mode(join(folder, "data"))).toBe("700");
  });

  it("leaves the mode of a folder that was there alone", async () => {
    path = databasePath(folder);
    await chmod(folder, 0o755);
    await open();
    expect(await mode(folder)).toBe("755");
  });

  it("holds the plan of the configuration it was created with, not of later ones", async () => {
    await open({ ...testPlan, requestsPerMinute: 7 });
    const later = await open({ ...testPlan, requestsPerMinute: 8 });
    expect(await later.findPlan("free")).toMatchObject({ name: "Free", requestsPerMinute: 7, maxKeys: 20 });
  });

  it("is refused when a newer version wrote it, and left as it was", async () => {
    await (await open()).close();
    const database = new Database(path);
    database.exec("insert into migrations values (99, 'from-the-future', 0, '9.9.9')");
    database.close();
    const before = migrations();
    await expect(open()).rejects.toThrow(
      /by a newer version of Sotto, 9\.9\.9 .* Start that version or a newer one\./,
    );
    expect(migrations()).toEqual(before);
  });

  it("is named in the message when it is no database", async () => {
    path = join(folder, "sotto.db");
    await writeFile(path, "this is not a database, however long one looks at it".repeat(20));
    const error: unknown = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toContain(path);
  });

  it("is named in the message when its folder cannot be created", async () => {
    await writeFile(join(folder, "data"), "a file where the folder should be");
    const error: unknown = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toContain(path);
  });

  it("writes ahead, syncs every commit, enforces references and waits for other writers", async () => {
    const database = await openDatabase(path);
    expect(database.pragma("synchronous")).toEqual([{ synchronous: 2 }]);
    expect(database.pragma("foreign_keys")).toEqual([{ foreign_keys: 1 }]);
    expect(database.pragma("journal_mode")).toEqual([{ journal_mode: "wal" }]);
    expect(database.pragma("busy_timeout")).toEqual([{ timeout: 5_000 }]);
    database.close();
  });
});
