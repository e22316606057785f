/**
 * The folders of this test run. Vitest creates them before the tests and removes them after them, with whatever a test
 * has left there: their names are not predictable, so nobody else can have created them.
 */
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const variable = "SOTTO_TEST_RUN_FOLDER";

const databases = "SOTTO_TEST_DATABASES";

export default function createRunFolders(): (() => void) | undefined {
  // It is called for each project.
  if (runFolder() !== undefined) return;
  const folder = createOpenFolder("sotto-run-");
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const inMemory = hasMemoryFolder() ? mkdtempSync("/dev/shm/sotto-run-") : temporary;
  Object.assign(process.env, { [variable]: folder, [databases]: inMemory, TMPDIR: temporary });
  return () => {
    for (const made of [folder, inMemory]) remove(made);
  };
}

/** A process that a failed test has left may still write there, which is no reason to fail the run. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    console.warn(`${folder} could not be removed: something still uses it.`);
  }
}

/** A folder for one database, in memory where that is possible: most of what tests wait for is the disk. */
export const newDatabaseFolder = (prefix: string): Promise<string> =>
  mkdtemp(join(process.env[databases] ?? tmpdir(), prefix));

function hasMemoryFolder(): boolean {
  try {
    accessSync("/dev/shm", constants.W_OK);
    // Some tests run what they put there.
    if (/^\S+ \/dev\/shm \S+ \S*noexec/m.test(readFileSync("/proc/mounts", "utf8"))) return false;
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= 1024 ** 3;
  } catch {
    return false;
  }
}

/**
 * A folder that every user may enter, for what several test files share and another user must be able to read: the
 * checkout may be closed to everyone but its owner. Undefined outside a test run, as in `bench`.
 */
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
