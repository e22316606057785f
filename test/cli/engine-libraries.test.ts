import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { keepLibrary } from "../../src/engines/llama/gpu/library/own-library.js";
import { runSotto } from "../support/processes/sotto-process.js";

const dataDir = mkdtempSync(join(tmpdir(), "sotto-engine-test-"));
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const sotto = (...args: string[]) =>
  runSotto(["engine", ...args], { PATH: process.env.PATH, SOTTO_DATA_DIR: dataDir });

const made = { backend: "cuda", from: "built", made: "for CUDA architecture 90-real" } as const;

describe("sotto engine", () => {
  it("lists the libraries built on this machine, and removes them", async () => {
    expect(await sotto("list")).toContain("main.js engine build cuda");
    const built = join(dataDir, "built");
    writeFileSync(built, "library");
    keepLibrary(dataDir, { ...made, at: "2026-01-31T09:05:00.000Z" }, built);
    expect(await sotto("list")).toMatch(/cuda +built +for CUDA architecture 90-real +2026-01-31 +yes/);
    expect(JSON.parse(await sotto("list", "--json"))).toMatchObject([made]);
    expect(JSON.parse(await sotto("remove", "cuda", "--json"))).toEqual({ backend: "cuda", removed: true });
    expect(await sotto("list")).toContain("None");
  });

  it("installs the prebuilt library only with its hash", async () => {
    const wrong = join(dataDir, "wrong.tgz");
    writeFileSync(wrong, "not the package");
    const isPackaged = process.platform === "linux" && process.arch === "x64";
    await expect(sotto("install", "cuda", "--from", wrong)).rejects.toThrow(
      isPackaged ? "its hash differs" : "There is no prebuilt cuda library",
    );
    await expect(sotto("install", "cuda", "--cuda", "11")).rejects.toThrow("Allowed choices are 13, 12.");
    expect(JSON.parse(await sotto("list", "--json"))).toEqual([]);
  });

  it("says what can be built", async () => {
    await expect(sotto("build", "metal")).rejects.toThrow("Choose from: cuda, vulkan, extension.");
    await expect(sotto("remove", "magic")).rejects.toThrow("there is no backend 'magic'");
  });
});
