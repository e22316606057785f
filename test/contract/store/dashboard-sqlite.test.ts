import { expect, it } from "vitest";
import { impersonalTables, sqliteIndexTables } from "../../../src/store/sql/stored-rows.js";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { openTemporaryStore } from "../../support/stores/temporary-store.js";
import { storeParts } from "./store-parts.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";

for (const describeContract of storeParts) describeContract("SQLite", openTemporaryStore);

it("shows people every table of the database that can be about them", async () => {
  const opened = await openTemporaryStore();
  const database = connect(databasePath(opened.dataDir));
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all() as { name: string }[];
  database.close();
  const shown = opened.store.stored.tables;
  await opened.dispose();
  expect([...shown, ...impersonalTables, ...sqliteIndexTables].sort()).toEqual(
    tables.map((table) => table.name).sort(),
  );
});
