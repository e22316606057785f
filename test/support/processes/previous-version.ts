/**
 * The version before this one, to run beside it: its sources, from git, with the packages of this checkout. Where the
 * history is not there, tests that need it are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The last one before migration 0018. To be moved on with each release that migrates. */
const commit = "cceedcdcfe7bf3d8437cfcb792cb52a243ab19cc";

/** For `describe.skipIf`. */
export const noHistory = spawnSync("git", ["cat-file", "-e", `${commit}:src/main.ts`]).status !== 0;

export interface PreviousVersion {
  /** For `startSotto`. */
  program: readonly string[];
  remove(): void;
}

export function checkOutPreviousVersion(): PreviousVersion {
  const folder = mkdtempSync(join(tmpdir(), "sotto-previous-"));
  const files = execFileSync("git", ["archive", commit, "src", "bin", "package.json"], {
    maxBuffer: 2 ** 28,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: files });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return {
    program: ["--import", "tsx", join(folder, "src/main.ts"), "serve"],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
