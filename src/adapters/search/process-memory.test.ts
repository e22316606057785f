import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { MarkSearch, newMark } from "../../core/proof/marks.js";
import { childProcesses, isRunning, searchMemory, writableRegions } from "./process-memory.js";

const { signal } = new AbortController();

it("reads which memory a process can write, from any address", () => {
  const maps = `55d0c0000000-55d0c0021000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000021000 r--p 00000000 08:01 12                         /usr/lib/libc.so.6
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
7ffd00030000-7ffd00032000 rw-p 00000000 00:00 0                          [vvar]
`;
  expect(writableRegions(maps)).toEqual([
    { start: 0x55d0c0000000, end: 0x55d0c0021000 },
    { start: 0x7ffd00000000, end: 0x7ffd00021000 },
  ]);
});

it.runIf(process.platform === "linux")("finds a mark in the memory of a live process", async () => {
  const [kept, other] = [newMark(), newMark()];
  const program = 'process.stdin.once("data", (text) => { globalThis.kept = text; console.log("kept"); });';
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    child.stdin.write(kept);
    await once(child.stdout, "data");
    const { hits, bytes } = await searchMemory(child.pid ?? 0, new MarkSearch([kept, other]), signal);
    expect(hits.map(({ mark }) => mark)).toContain(kept);
    expect(hits.map(({ mark }) => mark)).not.toContain(other);
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(childProcesses(process.pid)).toContain(child.pid);
  } finally {
    child.kill();
    await once(child, "exit");
  }
  expect(isRunning(child.pid ?? 0)).toBe(false);
  await expect(searchMemory(child.pid ?? 0, new MarkSearch([kept]), signal)).rejects.toThrow("ENOENT");
});
