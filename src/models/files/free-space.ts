import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Bytes that this user may still write to the disk of a folder, which need not exist yet. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(resolve(folder));
    if (parent === resolve(folder)) throw error;
    return freeBytes(parent);
  }
}
