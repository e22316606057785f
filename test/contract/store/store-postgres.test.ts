import { it } from "vitest";
import { openTemporaryPostgresStore, sharedPostgres } from "../../support/stores/postgres.js";
import { expectDescribed } from "./described-tables.js";
import { describeStoreContract } from "./store.js";
import { storeParts } from "./store-parts.js";

describeStoreContract("Postgres", () => openTemporaryPostgresStore());
for (const describeContract of storeParts) describeContract("Postgres", openTemporaryPostgresStore);

it("has words for every table and column on the privacy page, and shows people those about them", async () => {
  const opened = await openTemporaryPostgresStore();
  const server = await sharedPostgres();
  const columns = await server.query(
    "select table_name, column_name from information_schema.columns where table_schema = 'public'",
    opened.database,
  );
  // SQLite's search index is tables of its own; here it is an index.
  const has = (table: string) => !["account_numbers", "account_addresses"].includes(table);
  const named = columns.map((row) => ({ table: String(row.table_name), column: String(row.column_name) }));
  expectDescribed(opened.store, named, { has });
  await opened.dispose();
});
