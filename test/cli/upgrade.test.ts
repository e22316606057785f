import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packageVersion } from "../../src/adapters/program-files.js";
import { lastNumber, migrations } from "../../src/store/sql/migrate.js";
import { databasePath } from "../../src/store/sql/sqlite.js";
import {
  copiesFolder,
  listUpgradeCopies,
  removeOldUpgradeCopies,
  withUpgradeCopy,
} from "../../src/store/sql/upgrade-copy.js";
import { textLike } from "../support/matchers.js";
import { createOldDatabase, inDatabase, stepOf } from "../support/stores/old-database.js";
import { CommandLine } from "./run.js";

/** As an earlier version left it. */
const oldStep = 20;
const pending = migrations.filter(({ number }) => number > oldStep).map(({ name }) => name);
const known = lastNumber(migrations);
const version = packageVersion();

let sotto: CommandLine;
let path: string;
beforeEach(async () => {
  sotto = await CommandLine.open();
  path = databasePath(sotto.dataDir);
});
afterEach(() => sotto.dispose());

const makeOld = () => createOldDatabase(path, oldStep);
const copies = () => readdirSync(copiesFolder(path));
const makeNewer = () =>
  inDatabase(path, (db) =>
    db
      .insertInto("migrations")
      .values({ number: 99, name: "later", applied_at: 0, version: "9.9.9" })
      .execute(),
  );
const check = async () => {
  const { code, stdout } = await sotto.run("upgrade", "--check", "--json");
  return { code, found: JSON.parse(stdout) as unknown };
};

describe("sotto upgrade --check", () => {
  it("says what would run, and changes nothing", async () => {
    await makeOld();
    const { code, found } = await check();
    expect(code).toBe(2);
    expect(found).toMatchObject({
      ...{ verdict: "pending", program: version, version, applied: oldStep, known },
      pending,
      rows: { plans: 1 },
      copy: { folder: copiesFolder(path) },
    });
    const { stdout } = await sotto.run("upgrade", "--check");
    expect(stdout).toContain(`to be applied  ${pending.join(", ")}`);
    expect(await stepOf(path)).toBe(oldStep);
    expect(existsSync(copiesFolder(path))).toBe(false);
  });

  it("ends with 0 where there is nothing to do, and makes no database", async () => {
    expect(await check()).toMatchObject({ code: 0, found: { verdict: "new" } });
    expect(existsSync(path)).toBe(false);
    await sotto.json("accounts", "list");
    expect(await check()).toMatchObject({ code: 0, found: { verdict: "current", pending: [], copy: null } });
  });

  it("ends with 1 on a database of a newer version", async () => {
    await sotto.json("accounts", "list");
    await makeNewer();
    expect(await check()).toMatchObject({
      code: 1,
      found: { verdict: "newer", version: "9.9.9", applied: 99 },
    });
  });

  it("refuses a database from before the first version", async () => {
    await makeOld();
    await inDatabase(path, (db) =>
      db.updateTable("migrations").set({ number: 16 }).where("number", "=", oldStep).execute(),
    );
    await inDatabase(path, (db) => db.deleteFrom("migrations").where("number", ">", 16).execute());
    for (const command of [["upgrade", "--check"], ["upgrade"], ["accounts", "list"]]) {
      const { code, stderr } = await sotto.run(...command);
      expect(code).toBe(1);
      expect(stderr).toContain("The database is from before Sotto 0.1.0 (step 16)");
    }
    expect(existsSync(copiesFolder(path))).toBe(false);
  });

  it("knows the first version, which did not note itself", async () => {
    await makeOld();
    await inDatabase(path, (db) => db.schema.alterTable("migrations").dropColumn("version").execute());
    expect(await check()).toMatchObject({ code: 2, found: { version: "0.1.0" } });
    await sotto.json("upgrade");
    expect(await check()).toMatchObject({ code: 0, found: { version } });
  });
});

describe("an upgrade", () => {
  it("copies the database first, for its owner's eyes only", async () => {
    await makeOld();
    expect(await sotto.run("upgrade", "--json")).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ version, migrated: pending })}\n`,
      stderr: textLike(/A copy from before is \S+\/upgrade-copies\/sotto-step-20-\S+\.db\./),
    });
    const [copy = ""] = copies();
    const file = join(copiesFolder(path), copy);
    expect(await stepOf(path)).toBe(known);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(await stepOf(file)).toBe(oldStep);
  });

  it("takes no copy of a new database, or where the operator wants none", async () => {
    await sotto.json("accounts", "list");
    expect(existsSync(copiesFolder(path))).toBe(false);
    const without = new CommandLine(join(sotto.dataDir, "other"), { SOTTO_UPGRADE_COPY_DAYS: "0" });
    path = databasePath(without.dataDir);
    await makeOld();
    await without.json("upgrade");
    expect(await stepOf(path)).toBe(known);
    expect(existsSync(copiesFolder(path))).toBe(false);
  });

  it("keeps three copies, and none for longer than it may", async () => {
    await makeOld();
    mkdirSync(copiesFolder(path));
    const name = (day: number) => `sotto-step-9-2020010${day}T000000000Z.db`;
    for (const day of [1, 2, 3]) writeFileSync(join(copiesFolder(path), name(day)), "");
    writeFileSync(join(copiesFolder(path), "of someone else"), "");
    await sotto.json("upgrade");
    const newest = basename(listUpgradeCopies(path)[0]?.file ?? "");
    expect(copies().sort()).toEqual(["of someone else", name(2), name(3), newest].sort());
    removeOldUpgradeCopies(path, 30, new Date());
    expect(copies().sort()).toEqual(["of someone else", newest].sort());
  });

  it("discards a copy of what another process has migrated already", async () => {
    await sotto.json("accounts", "list");
    const copied: string[] = [];
    const { beforeUpgrade } = withUpgradeCopy(path, { days: 30, onCopied: (file) => copied.push(file) });
    await beforeUpgrade?.(oldStep);
    expect(copied).toEqual([]);
    expect(copies()).toEqual([]);
  });

  it("cannot be undone by an older version, which names both and the copy to restore", async () => {
    await makeOld();
    await sotto.json("upgrade");
    await makeNewer();
    const { code, stderr } = await sotto.run("accounts", "list");
    expect(code).toBe(1);
    const [copy = ""] = copies();
    expect(stderr).toContain(
      `The database was migrated by a newer version of Sotto, 9.9.9 (step 99), and this is ${version} (step ${known}). Start that version or a newer one.`,
    );
    expect(stderr).toContain(`put a copy of ${join(copiesFolder(path), copy)} in place of ${path}`);
  });
});
