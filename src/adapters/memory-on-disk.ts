/**
 * Whether the system may write a process's memory to disk: in a core dump when it crashes, or to swap. Node cannot
 * change the limit of core dumps, but on Linux a process may say which of its memory they contain, and that goes for
 * its children, too: none. It holds whatever the limit is, and where the kernel hands the dump to another program.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** The text of a system file; null where there is none. */
type Read = (path: string) => string | null;

export interface CoreDumps {
  /** `empty`: one may be written, without any memory. `unknown` on systems without `/proc`. */
  state: "off" | "empty" | "on" | "unknown";
  /** Where the kernel sends them: a file's name, or a program behind `|`. */
  pattern: string;
}

export interface Swap {
  state: "off" | "on" | "unknown";
  /** In use now, all programs together. */
  usedBytes: number;
}

export const howToStopCoreDumps =
  "Start Sotto with 'ulimit -c 0', 'LimitCORE=0' in its systemd unit, or '--ulimit core=0' for its container.";
export const howToStopSwap = "Run 'swapoff -a' and remove it from /etc/fstab, or encrypt it.";

/** From now on a core dump of this process, or of one that it starts, contains no memory. */
export function keepMemoryOutOfCoreDumps(): void {
  try {
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // Another system, or a sandbox: `coreDumps` says so, and `sotto doctor` what to do.
  }
}

/** Of this process, or of another one. */
export function coreDumps(pid: number | "self" = "self", read: Read = readSystemFile): CoreDumps {
  const limit = /^Max core file size\s+(\S+)/m.exec(read(`/proc/${pid}/limits`) ?? "")?.[1];
  const filter = read(`/proc/${pid}/coredump_filter`);
  const pattern = (read("/proc/sys/kernel/core_pattern") ?? "").trim();
  return { state: stateOf(limit, filter, pattern), pattern };
}

/** A program behind a pipe gets the dump whatever the limit is. */
function stateOf(limit: string | undefined, filter: string | null, pattern: string): CoreDumps["state"] {
  if (limit === "0" && !pattern.startsWith("|")) return "off";
  if (filter !== null && /^0+$/.test(filter.trim())) return "empty";
  return limit === undefined ? "unknown" : "on";
}

/** A container may be kept from swapping. */
export function swap(read: Read = readSystemFile): Swap {
  if (read("/sys/fs/cgroup/memory.swap.max")?.trim() === "0") return { state: "off", usedBytes: 0 };
  const text = read("/proc/swaps");
  if (text === null) return { state: "unknown", usedBytes: 0 };
  const rows = text.trim().split("\n").slice(1);
  const usedBytes = rows.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[3] ?? 0) * 1024, 0);
  return { state: rows.length === 0 ? "off" : "on", usedBytes };
}

function readSystemFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
