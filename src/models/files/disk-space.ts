/** Free space before a file is written, and what to say when it runs out all the same: another process may take it. */
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { WeightsError } from "../weights-error.js";

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

export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

export const fullDisk = (target: string): WeightsError =>
  new WeightsError(`The disk became full while ${target} was written. Make room on that disk.`);
