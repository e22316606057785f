import { expect, it } from "vitest";
import { impersonalTables } from "../../src/store/stored-rows.js";
import { openTemporaryPostgresStore, sharedPostgres } from "../support/postgres.js";
import { describeAuditContract } from "./audit.js";
import { describeChangeContract } from "./changes.js";
import { describeAccountContract } from "./dashboard-accounts.js";
import { describeLinkContract } from "./links.js";
import { describeNewsContract } from "./news.js";
import { describeSessionContract } from "./sessions.js";
import { describeStoreContract } from "./store.js";
import { describeUsageContract } from "./usage.js";

describeStoreContract("Postgres", () => openTemporaryPostgresStore());
const suites = [
  describeAccountContract,
  describeSessionContract,
  describeLinkContract,
  describeUsageContract,
  describeNewsContract,
  describeAuditContract,
  describeChangeContract,
];
for (const describeContract of suites) describeContract("Postgres", openTemporaryPostgresStore);

it("shows people every table of a Postgres database that can be about them", async () => {
  const opened = await openTemporaryPostgresStore();
  const server = await sharedPostgres();
  const tables = await server.query(
    `select table_name from information_schema.tables where table_schema = '${opened.schema}'`,
  );
  const shown = (await opened.store.stored.readAll("acc_none")).map((table) => table.name);
  await opened.dispose();
  expect([...shown, ...impersonalTables].sort()).toEqual(tables.map((row) => row.table_name).sort());
});
