/**
 * Earlier versions, to run beside this one: their sources, from git, with the packages of this checkout. Where the
 * history is not there, tests that need it are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** By what a test needs of them. */
export const commits = {
  /** The last one before migration 0018: an upgrade from it migrates. */
  beforeFactors: "cceedcdcfe7bf3d8437cfcb792cb52a243ab19cc",
  /** The version before this one. To be moved on with each release. */
  lastVersion: "b044f820ec3ac48654701bcbb3f9f48ef546197b",
} as const;

/** For `describe.skipIf`. */
export const noHistory = Object.values(commits).some(
  (commit) => spawnSync("git", ["cat-file", "-e", `${commit}:src/main.ts`]).status !== 0,
);

export interface PreviousVersion {
  /** For `startSotto`. */
  program: readonly string[];
  remove(): void;
}

export function checkOutPreviousVersion(commit: string): PreviousVersion {
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
