import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ggufBytes, llamaFields, randomTensor } from "../../test/support/engines/gguf-file.js";
import { shownWeights, weightsLabel } from "./shown-weights.js";
import { starterFileNames } from "./starter/starter.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-weights-"));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, fields: Record<string, string>): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, ggufBytes({ ...llamaFields, ...fields }, [randomTensor("t", [256, 1], 16)]));
  return path;
};

describe("the name and the licence of weights", () => {
  it("come from the catalogue, by the file's name", async () => {
    const path = await file("gemma-4-12b-it-Q4_K_M.gguf", { "general.name": "something else" });
    expect(await weightsLabel(path)).toEqual({
      title: "Gemma 4 12B Instruct",
      licence: "Apache-2.0",
      isStarter: false,
    });
  });

  it("come from the header of any other file", async () => {
    const path = await file("mine.gguf", { "general.name": "My Model", "general.license": "mit" });
    expect(await weightsLabel(path)).toEqual({ title: "My Model", licence: "mit", isStarter: false });
  });

  it("are the file's name and unknown where the header does not tell, or cannot be read", async () => {
    const unnamed = { title: "mine", licence: null, isStarter: false };
    expect(await weightsLabel(await file("mine.gguf", { "general.name": " " }))).toEqual(unnamed);
    expect(await weightsLabel(join(folder, "gone", "mine.gguf"))).toEqual(unnamed);
  });

  it("are one short line, whatever a file says", async () => {
    const path = await file("odd.gguf", { "general.name": `a\n\u202eb${"x".repeat(500)}` });
    const { title } = await weightsLabel(path);
    expect(title).toMatch(/^a bx+$/);
    expect(title).toHaveLength(80);
  });

  it.each(starterFileNames)("tell the starter: %s", async (name) => {
    expect(await weightsLabel(`/models/${name}`)).toMatchObject({ isStarter: true });
  });
});

describe("what is shown of a model", () => {
  const store = { getSetting: async () => JSON.stringify({ tokensPerSecond: 12.5, at: new Date(0) }) };

  it("follows the file that answers", async () => {
    const path = await file("one.gguf", { "general.name": "One" });
    expect(await shownWeights(store, path)).toMatchObject({ title: "One", tokensPerSecond: 12.5 });
    await file("one.gguf", { "general.name": "Another" });
    expect(await shownWeights(store, path)).toMatchObject({ title: "Another" });
    expect(await shownWeights(store, null)).toBeNull();
  });

  it("lacks its speed while the database is unreachable", async () => {
    const path = await file("one.gguf", { "general.name": "One" });
    const away = { getSetting: () => Promise.reject(new Error("unreachable")) };
    expect(await shownWeights(away, path)).toMatchObject({ title: "One", tokensPerSecond: null });
  });
});
