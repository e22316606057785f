/**
 * Files are written under a name of their own beside the final one, and renamed when they are whole. What a
 * killed process leaves behind is removed by a later start, once it is too old to be under way.
 */
import { open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const leftoverAfterMs = 10 * 60_000;

/** Removes what was left behind beside `target` under names that go on with `mark`. */
export async function removeLeftovers(target: string, mark: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(basename(target) + mark)) continue;
    const path = join(folder, name);
    // Work in progress touches its file all the time, and removes it when it ends.
    const touchedAtMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - touchedAtMs > leftoverAfterMs) await rm(path, { force: true });
  }
}

/** Without it a power cut could take back a rename. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
