import { expect, it } from "vitest";
import { impersonalTables } from "../../../src/store/sql/stored-rows.js";
import { openTemporaryPostgresStore, sharedPostgres } from "../../support/stores/postgres.js";
import { describeStoreContract } from "./store.js";
import { storeParts } from "./store-parts.js";

describeStoreContract("Postgres", () => openTemporaryPostgresStore());
for (const describeContract of storeParts) describeContract("Postgres", openTemporaryPostgresStore);

it("shows people every table of a Postgres database that can be about them", async () => {
  const opened = await openTemporaryPostgresStore();
  const server = await sharedPostgres();
  const tables = await server.query(
    `select table_name from information_schema.tables where table_schema = '${opened.schema}'`,
  );
  const shown = opened.store.stored.tables;
  await opened.dispose();
  expect([...shown, ...impersonalTables].sort()).toEqual(tables.map((row) => row.table_name).sort());
});
