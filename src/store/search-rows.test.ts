import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../config.js";
import { MarkSearch, newMark } from "../core/proof/marks.js";
import { openStore } from "./open-store.js";
import { searchRows } from "./search-rows.js";
import { connect } from "./sql/sqlite/connection.js";
import { databasePath } from "./sql/sqlite.js";

it("finds marks in every kind of column, also of tables that are not ours", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sotto-rows-"));
  const config = loadConfig({ env: { SOTTO_DATA_DIR: dataDir } });
  const { signal } = new AbortController();
  const store = await openStore(config);
  const marks = [newMark(), newMark(), newMark()];
  const [text = "", bytes = "", setting = ""] = marks;
  try {
    expect(await searchRows(config, new MarkSearch(marks), signal)).toMatchObject({ hits: [], gaps: [] });
    await store.setSetting("leak", setting);
    const database = connect(databasePath(dataDir));
    database.exec('create table "odd ""name" (a text, b blob, c integer)');
    const insert = database.prepare('insert into "odd ""name" values (?, ?, ?)');
    insert.run("nothing", null, 1);
    insert.run(text, Buffer.from(bytes), 2);
    database.close();
    const found = await searchRows(config, new MarkSearch(marks), signal);
    const places = new Set(found.hits.map(({ table, hit }) => `${table} ${marks.indexOf(hit.mark)}`));
    expect(places).toEqual(new Set(['odd "name 0', 'odd "name 1', "settings 2"]));
  } finally {
    await store.close();
  }
});
