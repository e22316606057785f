/** An upgrade on a disk that has no room for the copy of the database. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { copiesFolder } from "../../../src/store/sql/upgrade-copy.js";
import { lastNumber, migrations } from "../../../src/store/sql/migrate.js";
import { CommandLine } from "../../cli/run.js";
import { createOldDatabase, stepOf } from "../../support/stores/old-database.js";
import { mountSmallDisk } from "../../support/stores/small-disk.js";

const disk = mountSmallDisk();

describe.skipIf(disk === null)("without room for the copy", () => {
  const dataDir = disk ?? "";
  const path = databasePath(dataDir);
  const ballast = join(dataDir, "ballast");
  afterAll(() => {
    // The driver closes a file when its handle is collected.
    execFileSync("umount", ["--lazy", dataDir]);
  });

  it("an upgrade is refused, the database stays as it was, and there is a way on", async () => {
    await createOldDatabase(path, 20);
    // Not to the last block: the database itself can still be opened.
    const { bavail, bsize } = statfsSync(dataDir);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - statSync(path).size / 2));
    const sotto = new CommandLine(dataDir);
    expect(await sotto.run("upgrade", "--check")).toMatchObject({ code: 1 });
    const refused = await sotto.run("accounts", "list");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "The database was not migrated, since the copy that is taken first cannot be written",
    );
    expect(refused.stderr).toContain("SOTTO_UPGRADE_COPY_DAYS=0");
    expect(await stepOf(path)).toBe(20);
    expect(existsSync(copiesFolder(path))).toBe(false);

    rmSync(ballast);
    expect((await sotto.run("accounts", "list")).code).toBe(0);
    expect(await stepOf(path)).toBe(lastNumber(migrations));
    expect(readdirSync(copiesFolder(path))).toHaveLength(1);
  });
});
