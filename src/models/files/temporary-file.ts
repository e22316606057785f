/**
 * Writes files atomically: under a temporary name beside the final one, renamed when they are whole. Whenever the
 * process is killed, the final name holds a whole file or none. The temporary file that it leaves is removed by a later
 * start, once it is too old to be in use.
 */
import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const mark = ".new-";
const leftoverAfterMs = 10 * 60_000;

/** `write` creates the temporary file and syncs it to disk. What it throws is passed on, and nothing is left. */
export async function writeAtomically(
  target: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${target}${mark}${randomUUID()}`;
  try {
    await write(temporary);
    await rename(temporary, target);
    await syncToDisk(dirname(target));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes what killed processes left behind of `target`. */
export async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(basename(target) + mark)) continue;
    const path = join(folder, name);
    // A process that still writes touches its file all the time, and removes it when it ends.
    const touchedAtMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - touchedAtMs > leftoverAfterMs) await rm(path, { force: true });
  }
}

/** A file, or a folder: without it a power cut could undo a rename there. */
export async function syncToDisk(path: string, flags = "r"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
