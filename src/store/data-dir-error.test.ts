import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findDataDirError } from "./data-dir-error.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sotto-data-dir-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a data directory", () => {
  it("that can be written to has no error, and stays as it is, also where it does not exist yet", () => {
    expect(findDataDirError(folder)).toBeNull();
    expect(findDataDirError(join(folder, "a", "b"))).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of another user is said to be that", () => {
    chmodSync(folder, 0o500);
    expect(asNobody(() => findDataDirError(folder))).toEqual({
      reason: `The data directory ${folder} cannot be written to: this user has no permission (EACCES)`,
      next: "Give the directory to the user that runs Sotto, or choose another directory with SOTTO_DATA_DIR or --data-dir.",
    });
  });
});

/** Root may write anywhere. */
function asNobody<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
