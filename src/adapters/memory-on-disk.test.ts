import { expect, it } from "vitest";
import { coreDumps, swap } from "./memory-on-disk.js";

const limits = (core: string) =>
  `Limit  Soft Limit  Hard Limit\nMax core file size        ${core}    unlimited   bytes\n`;
const noSwap = "Filename\t\t\t\tType\t\tSize\t\tUsed\n";
const handler = "|/usr/lib/systemd/systemd-coredump %P";

const reader = (files: Record<string, string>) => (path: string) => files[path] ?? null;

it.each([
  ["0", "33", "core", "off"],
  ["unlimited", "00000033", "core", "on"],
  ["unlimited", "00000000\n", "core", "empty"],
  ["0", "33", handler, "on"],
  ["0", "00000000\n", handler, "empty"],
] as const)("a limit of %s with the filter %s and the pattern %s: core dumps are %s", (...given) => {
  const [limit, filter, pattern, state] = given;
  const read = reader({
    "/proc/self/limits": limits(limit),
    "/proc/self/coredump_filter": filter,
    "/proc/sys/kernel/core_pattern": `${pattern}\n`,
  });
  expect(coreDumps("self", read)).toEqual({ state, pattern });
});

it("swap is on where there is any, and a container may be kept from it", () => {
  const swaps = `${noSwap}/swapfile file 2048 12 -2\n`;
  expect(swap(reader({ "/proc/swaps": swaps }))).toEqual({ state: "on", usedBytes: 12 * 1024 });
  expect(swap(reader({ "/proc/swaps": noSwap }))).toEqual({ state: "off", usedBytes: 0 });
  expect(swap(reader({ "/proc/swaps": swaps, "/sys/fs/cgroup/memory.swap.max": "0\n" })).state).toBe("off");
});

it("does not guess", () => {
  expect(coreDumps("self", () => null).state).toBe("unknown");
  expect(swap(() => null).state).toBe("unknown");
});
