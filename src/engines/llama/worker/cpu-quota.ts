/**
 * The cores that a container may use, where it has a limit. Node's own count knows which cores this process may
 * run on, and not how much of their time it gets: with two threads for half a core, each waits for the other.
 */
import { readFileSync } from "node:fs";

type ReadFile = (path: string) => string | undefined;

/** Undefined without a limit, or where there is no way to tell. */
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
