import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FullStore } from "../../../src/store/full-store.js";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { openTemporaryStore } from "../../support/stores/temporary-store.js";
import { expectDescribed } from "./described-tables.js";
import { storeParts } from "./store-parts.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";

for (const describeContract of storeParts) describeContract("SQLite", openTemporaryStore);

it("has words for every table and column on the privacy page, and shows people those about them", async () => {
  const opened = await openTemporaryStore();
  const database = connect(databasePath(opened.dataDir));
  const columns = database
    .prepare(
      `select tables.name as "table", columns.name as "column"
        from sqlite_master as tables, pragma_table_info(tables.name) as columns
        where tables.type = 'table' and tables.name not like 'sqlite_%'`,
    )
    .all() as { table: string; column: string }[];
  database.close();
  expectDescribed(opened.store, columns);
  await opened.dispose();
});

it.each([
  ["deleting an account", (store: FullStore, id: string) => store.deleteAccount(id)],
  ["an admin's deletion", (store: FullStore, id: string) => store.accounts.remove(id)],
  ["another address", (store: FullStore, id: string) => store.accounts.setEmail(id, "new@example.com")],
])("leaves nothing of an address in its files after %s", async (_name, change) => {
  const opened = await openTemporaryStore();
  const email = "unmistakable-canary@example.com";
  const account = await opened.store.createAccount({
    email,
    passwordHash: null,
    role: "user",
    planId: "free",
  });
  const files = () =>
    readdirSync(opened.dataDir).filter((file) =>
      readFileSync(join(opened.dataDir, file)).toString("latin1").includes("unmistakable-canary"),
    );
  expect(files()).not.toEqual([]);
  await change(opened.store, account.id);
  expect(files()).toEqual([]);
  await opened.dispose();
});
