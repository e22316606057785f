import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Database from "libsql";
import { expect, it } from "vitest";
import { migrations } from "../../../src/store/sql/migrate.js";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { scriptArguments, sourceModule } from "../../support/processes/script.js";
import { testPlan } from "../../support/stores/temporary-store.js";

it("a SQLite file is migrated once when several processes open it at the same time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sotto-sqlite-"));
  const path = databasePath(join(folder, "data"));
  const applied = (): unknown[] => {
    const database = new Database(path);
    const numbers = database.prepare("select number from migrations order by number").pluck().all();
    database.close();
    return numbers;
  };
  const startAt = Date.now() + 1_500;
  const script = `
    import { openSqliteStore } from ${sourceModule("store/sql/sqlite.ts")};
    while (Date.now() < ${startAt});
    const store = await openSqliteStore(${JSON.stringify({ path, defaultPlan: testPlan })});
    console.log(await store.initSetting("winner", String(process.pid)));
    await store.close();`;
  const run = promisify(execFile);
  const results = await Promise.all(
    Array.from({ length: 6 }, () => run(process.execPath, scriptArguments(script))),
  );
  expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
  expect(applied()).toEqual(migrations.map(({ number }) => number));
  await rm(folder, { recursive: true, force: true });
});
