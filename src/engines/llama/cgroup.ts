/** What a container's control group grants: memory and processor time. */
import { readFileSync } from "node:fs";

/** Undefined where there is no such file. */
type ReadFile = (path: string) => string | undefined;

/**
 * Memory that the system could give to a program now. In a container Node counts what the container's files take in
 * the page cache as used. The system takes that back before it lets a program fail, so here it is available, as it is
 * outside of containers: models are read from files, and those that were unloaded stay in that cache.
 */
export function availableMemory(read: ReadFile = readIfThere, available = process.availableMemory()): number {
  // Only a group with a limit of its own has this file, and only its own numbers are of use.
  const limit = Number(read("/sys/fs/cgroup/memory.max") ?? NaN);
  if (!(limit > 0)) return available;
  const stat = read("/sys/fs/cgroup/memory.stat") ?? "";
  const cachedBytes = [/^inactive_file (\d+)$/m, /^active_file (\d+)$/m]
    .map((line) => Number(line.exec(stat)?.[1] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);
  return Math.min(limit, available + cachedBytes);
}

/**
 * The cores that a container may use; undefined without a limit, or where it is unknown. Node's own count knows which
 * cores this process may run on, and not how much of their time it gets: with two threads for half a core, each waits
 * for the other.
 */
export function quotaCores(read: ReadFile = readIfThere): number | undefined {
  const [quota, period] = read("/sys/fs/cgroup/cpu.max")?.split(" ").map(Number) ?? [
    Number(read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")),
    Number(read("/sys/fs/cgroup/cpu/cpu.cfs_period_us")),
  ];
  if (quota === undefined || period === undefined || !(quota > 0) || !(period > 0)) return undefined;
  return Math.max(1, Math.floor(quota / period));
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
