/**
 * Whether the system may write a process's memory to disk: in a core dump when it crashes, or to swap. Node cannot
 * change either, so they are set where the server is started (`ulimit -c 0`, `LimitCORE=0`), and reported here.
 */
import { readFileSync } from "node:fs";

export interface CoreDumps {
  /** `unknown` on systems without `/proc`. */
  state: "off" | "on" | "unknown";
  /** Bytes that a core file of this process may have; Infinity where there is no limit. */
  softLimit: number;
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
export const howToStopCoreHandler =
  "The kernel pipes crashed processes to a program, which ignores a limit of 0 only if it is told to: set 'Storage=none' and 'ProcessSizeMax=0' in /etc/systemd/coredump.conf, or 'sysctl kernel.core_pattern=core'.";
export const howToStopSwap = "Run 'swapoff -a' and remove it from /etc/fstab, or encrypt it.";

/** Of this process, or of another one. Children inherit the limit. */
export function coreDumps(pid: number | "self" = "self"): CoreDumps {
  const limits = read(`/proc/${pid}/limits`);
  const pattern = (read("/proc/sys/kernel/core_pattern") ?? "").trim();
  const soft = /^Max core file size\s+(\S+)/m.exec(limits ?? "")?.[1];
  if (soft === undefined) return { state: "unknown", softLimit: Infinity, pattern };
  const softLimit = soft === "unlimited" ? Infinity : Number(soft);
  return { state: softLimit === 0 ? "off" : "on", softLimit, pattern };
}

/** A program behind a pipe is started whatever the limit is, unless the limit is exactly 1; it is told the limit. */
export const isPiped = ({ pattern }: Pick<CoreDumps, "pattern">): boolean => pattern.startsWith("|");

export function swap(): Swap {
  const text = read("/proc/swaps");
  if (text === null) return { state: "unknown", usedBytes: 0 };
  const rows = text.trim().split("\n").slice(1);
  const usedBytes = rows.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[3] ?? 0) * 1024, 0);
  return { state: rows.length === 0 ? "off" : "on", usedBytes };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
