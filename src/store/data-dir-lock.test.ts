import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataDir } from "./data-dir-lock.js";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sotto-lock-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe("the lock on a data directory", () => {
  it("is held by one, who is named, and free again when released", () => {
    const lock = lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(`Another Sotto server (process ${process.pid}) is running on`);
    lock.release();
    expect(existsSync(join(dataDir, "server.pid"))).toBe(false);
    lockDataDir(dataDir).release();
  });

  it("goes with a process that is killed", async () => {
    const hold = `
      import { lockDataDir } from ${JSON.stringify(new URL("./data-dir-lock.ts", import.meta.url).href)};
      lockDataDir(${JSON.stringify(dataDir)});
      console.log("held");
      setTimeout(() => {}, 60_000);`;
    const holder = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", hold], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    expect(() => lockDataDir(dataDir)).toThrow(`(process ${String(holder.pid)})`);
    holder.kill("SIGKILL");
    await once(holder, "close");
    lockDataDir(dataDir).release();
  });
});
