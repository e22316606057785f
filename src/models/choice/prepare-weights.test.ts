import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ggufBytes, llamaFields, randomTensor } from "../../../test/support/engines/gguf-file.js";
import { prepareWeights } from "./prepare-weights.js";
import { WeightsError } from "../weights-error.js";

const small = ggufBytes(llamaFields, [randomTensor("t", [256, 2], 16)]);

let folder: string;
let first: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-resolve-"));
  first = join(folder, "first.gguf");
  await writeFile(first, small);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("weights prepared for a change-over", () => {
  const options = { dataDir: "unused", corrects: true };

  it("are an absolute path once the file was looked at", async () => {
    const written = relative(process.cwd(), first);
    expect(await prepareWeights({ type: "weights", path: written }, options)).toBe(first);
  });

  it("are refused with the reason", async () => {
    const page = join(folder, "page.gguf");
    await writeFile(page, "<html>");
    await mkdir(join(folder, "sub"));
    for (const [name, reason] of [
      ["none.gguf", /none\.gguf does not exist\./],
      ["sub", /sub is a folder, not a GGUF file\./],
      ["page.gguf", /page\.gguf is not a GGUF file/],
    ] as const) {
      const refused = prepareWeights({ type: "weights", path: join(folder, name) }, options);
      await expect(refused).rejects.toThrow(reason);
      await expect(refused).rejects.toThrow(WeightsError);
    }
  });
});
