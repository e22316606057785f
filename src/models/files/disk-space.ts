import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, resolve } from "node:path";
import type { MachineNow } from "../../core/admin/service-views.js";
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

/** It runs out all the same where another process takes it. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

export const fullDisk = (target: string): WeightsError =>
  new WeightsError(`The disk became full while ${target} was written. Make room on that disk.`);

/** Memory and disk of this machine, or of the container that the process runs in. */
export async function machineNow(folder: string): Promise<MachineNow> {
  const limit = process.constrainedMemory();
  // Without a limit the system names one that no machine has.
  const totalBytes = limit > 0 && limit < totalmem() ? limit : totalmem();
  const memory = { usedBytes: Math.max(0, totalBytes - process.availableMemory()), totalBytes };
  const disk = await statfs(folder).then(
    // Without what is kept for root: what this process may not use is not free.
    ({ blocks, bfree, bavail, bsize }) => {
      const usedBytes = (blocks - bfree) * bsize;
      return { usedBytes, totalBytes: usedBytes + bavail * bsize };
    },
    () => null,
  );
  return { memory, disk };
}
