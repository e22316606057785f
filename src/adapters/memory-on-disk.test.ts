import { expect, it } from "vitest";
import { memoryOnDisk } from "./memory-on-disk.js";

const limits = (core: string) =>
  `Limit  Soft Limit  Hard Limit\nMax core file size        ${core}    unlimited   bytes\n`;
const noSwap = "Filename\t\t\t\tType\t\tSize\n";
const files: Record<string, string> = {};
const read = async (path: string): Promise<string> => {
  const text = files[path];
  if (text === undefined) throw new Error("ENOENT");
  return text;
};

it.each([
  [limits("0"), "core", noSwap, { core_dumps: "off", swap: "off" }],
  [limits("unlimited"), "core", `${noSwap}/swapfile file 1\n`, { core_dumps: "on", swap: "on" }],
  [limits("0"), "|/usr/lib/systemd/systemd-coredump %P", noSwap, { core_dumps: "handler", swap: "off" }],
])("reads the system's own files", async (own, pattern, swaps, expected) => {
  Object.assign(files, {
    "/proc/self/limits": own,
    "/proc/sys/kernel/core_pattern": pattern,
    "/proc/swaps": swaps,
  });
  expect(await memoryOnDisk(read)).toEqual(expected);
  files["/sys/fs/cgroup/memory.swap.max"] = "0\n";
  expect((await memoryOnDisk(read)).swap).toBe("off");
  delete files["/sys/fs/cgroup/memory.swap.max"];
});

it("does not guess", async () => {
  const nothing = () => Promise.reject(new Error("ENOENT"));
  expect(await memoryOnDisk(nothing)).toEqual({ core_dumps: "unknown", swap: "unknown" });
});
