/**
 * A folder of this test run that every user may enter, for what several test files share and another user must be
 * able to read: the checkout may be closed to everyone but its owner. Its name is not predictable, so nobody else can
 * have created it. Vitest creates it before the tests and removes it after them.
 */
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const variable = "SOTTO_TEST_RUN_FOLDER";

export default function createRunFolder(): () => void {
  const folder = createOpenFolder("sotto-run-");
  process.env[variable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Undefined outside a test run, as in `bench`. */
export function runFolder(): string | undefined {
  return process.env[variable];
}

/** A temporary folder that every user may enter, also when TMPDIR is closed to others. */
export function createOpenFolder(prefix: string): string {
  const folder = mkdtempSync(join(isOpen(tmpdir()) ? tmpdir() : "/tmp", prefix));
  chmodSync(folder, 0o755);
  return folder;
}

function isOpen(path: string): boolean {
  const isEnterable = (statSync(path).mode & 0o001) !== 0;
  return isEnterable && (dirname(path) === path || isOpen(dirname(path)));
}
