/**
 * Memory that the system could give to a program now. In a container Node counts what the container's files take in
 * the page cache as used. The system takes that back before it lets a program fail, so here it is available, as it is
 * outside of containers: models are read from files, and those that were unloaded stay in that cache.
 */
import { readFileSync } from "node:fs";

export interface MemorySources {
  available: () => number;
  /** Undefined where there is no such file. */
  read: (path: string) => string | undefined;
}

export function availableMemory(sources: MemorySources = thisMachine): number {
  const available = sources.available();
  // Only a group with a limit of its own has this file, and only its own numbers are of use.
  const limit = Number(sources.read("/sys/fs/cgroup/memory.max") ?? NaN);
  if (!(limit > 0)) return available;
  const stat = sources.read("/sys/fs/cgroup/memory.stat") ?? "";
  const cachedBytes = [/^inactive_file (\d+)$/m, /^active_file (\d+)$/m]
    .map((line) => Number(line.exec(stat)?.[1] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);
  return Math.min(limit, available + cachedBytes);
}

const thisMachine: MemorySources = {
  available: () => process.availableMemory(),
  read: (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
};
