/** Whether the operating system may write a process's memory to disk: as a core dump, or as swap. */
import { readFile } from "node:fs/promises";
import type { MachineFacts } from "../core/proof/statement.js";

type Read = (path: string) => Promise<string>;

export async function memoryOnDisk(read: Read = (path) => readFile(path, "utf8")): Promise<MachineFacts> {
  const [limits, pattern, swaps, swapLimit] = await Promise.all(
    [
      "/proc/self/limits",
      "/proc/sys/kernel/core_pattern",
      "/proc/swaps",
      "/sys/fs/cgroup/memory.swap.max",
    ].map((path) => read(path).catch(() => null)),
  );
  return {
    core_dumps: coreDumps(limits ?? null, pattern ?? null),
    swap: swap(swaps ?? null, swapLimit ?? null),
  };
}

/** A program in the pattern gets the memory whatever the limit is; it may or may not respect it. */
function coreDumps(limits: string | null, pattern: string | null): MachineFacts["core_dumps"] {
  const soft = /^Max core file size\s+(\S+)/m.exec(limits ?? "")?.[1];
  if (soft === undefined || pattern === null) return "unknown";
  if (pattern.startsWith("|")) return "handler";
  return soft === "0" || pattern.trim() === "" ? "off" : "on";
}

/** A line for each area follows the heading. A container may be kept from swapping. */
function swap(swaps: string | null, limit: string | null): MachineFacts["swap"] {
  if (limit?.trim() === "0") return "off";
  if (swaps === null) return "unknown";
  return swaps.trim().split("\n").length > 1 ? "on" : "off";
}
