import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrate, migrations } from "../../../../src/store/sql/migrate.js";
import { connectSqlite, databasePath, openDatabase } from "../../../../src/store/sql/sqlite.js";
import { testPlan } from "../../../support/stores/temporary-store.js";

it("takes accounts that earlier versions deleted out of the audit trail", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sotto-migration-"));
  const database = await openDatabase(databasePath(folder));
  const db = connectSqlite(database);
  const context = { bytesType: "blob", defaultPlan: testPlan } as const;
  await migrate(db, context, { migrations: migrations.slice(0, 4) });
  database.exec(`
    insert into accounts values ('acc_bob', 'b@x', 'b@x', null, 'admin', 'free', null, 0);
    insert into audit values
      ('1', 0, 'acc_gone', 'signed in', 'acc_gone'), ('2', 0, 'acc_gone', 'created key', 'key_gone'),
      ('3', 0, 'acc_bob', 'suspended account', 'acc_gone'), ('4', 0, 'acc_gone', 'saved plan', 'free'),
      ('5', 0, 'command line', 'revoked key', 'key_gone'), ('6', 0, 'acc_bob', 'signed in', 'acc_bob')`);
  await migrate(db, context);
  const rows = await db.selectFrom("audit").select(["actor", "action", "target"]).orderBy("id").execute();
  await db.destroy();
  await rm(folder, { recursive: true, force: true });
  expect(rows.map((row) => Object.values(row))).toEqual([
    ["acc_bob", "suspended account", "deleted account"],
    ["deleted account", "saved plan", "free"],
    ["command line", "revoked key", "deleted key"],
    ["acc_bob", "signed in", "acc_bob"],
  ]);
});
