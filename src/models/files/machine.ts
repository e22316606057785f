/** Memory and disk of this machine, or of the container that the process runs in. */
import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import type { MachineNow } from "../../core/admin/service-views.js";

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
