/** Data of earlier versions, opened by this one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";
import {
  fixtureVersions,
  readExpected,
  restoreSqlite,
  rowsOf,
} from "../../support/stores/upgrade-fixture.js";
import { expectEverything } from "./upgraded.js";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sotto-upgrade-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it.each(fixtureVersions)("finds everything that %s wrote", async (version) => {
  restoreSqlite(version, databasePath(dataDir));
  await expectEverything(version, { SOTTO_DATA_DIR: dataDir });
});

it.each(fixtureVersions)("has the rows of %s that its list names", (version) => {
  restoreSqlite(version, databasePath(dataDir));
  const database = connect(databasePath(dataDir));
  const { rows } = readExpected(version);
  const found = Object.keys(rows).map((table) => [table, rowsOf(database, table).length]);
  database.close();
  expect(Object.fromEntries(found)).toEqual(rows);
});
