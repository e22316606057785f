/** A thread that hashes files: gigabytes of weights would keep the event loop busy for seconds. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { performTasks } from "../../adapters/worker-tasks.js";

const chunkBytes = 4 * 1024 * 1024;

/** Null where the file cannot be read. */
performTasks((path: string): string | null => {
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const file = openSync(path, "r");
    try {
      for (let read = -1; read !== 0;) {
        read = readSync(file, chunk, 0, chunkBytes, null);
        hash.update(chunk.subarray(0, read));
      }
    } finally {
      closeSync(file);
    }
    return hash.digest("hex");
  } catch {
    return null;
  }
});
