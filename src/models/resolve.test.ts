import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ggufBytes, llamaFields, randomTensor } from "../../test/support/gguf-file.js";
import { prepareWeights, resolveWeights } from "./resolve.js";
import { WeightsFault } from "./weights-fault.js";

const small = ggufBytes(llamaFields, [randomTensor("t", [256, 2], 16)]);

let folder: string;
let first: string;
let second: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-resolve-"));
  first = join(folder, "first.gguf");
  second = join(folder, "second.gguf");
  await writeFile(first, small);
  await writeFile(second, small);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const resolved = (omega: string, prism: string, lambda: string) =>
  resolveWeights(
    { omega: { weights: omega }, prism: { weights: prism }, lambda: { weights: lambda } },
    folder,
  );

describe("the files behind the models", () => {
  it("appear once each, with the models they answer for", async () => {
    expect(await resolved(first, second, first)).toEqual([
      { path: first, models: ["omega", "lambda"] },
      { path: second, models: ["prism"] },
    ]);
  });

  it("are the same file however they are written", async () => {
    const link = join(folder, "link.gguf");
    await symlink(first, link);
    expect(await resolved(first, relative(process.cwd(), first), link)).toEqual([
      { path: first, models: ["omega", "prism", "lambda"] },
    ]);
  });

  it("are refused together, each with its setting and the reason", async () => {
    const page = join(folder, "page.gguf");
    await writeFile(page, "<html>");
    await mkdir(join(folder, "sub"));
    const error: unknown = await resolved(join(folder, "none.gguf"), join(folder, "sub"), page).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(WeightsFault);
    expect(String(error)).toMatch(/SOTTO_MODELS_OMEGA_WEIGHTS: .*none\.gguf does not exist\./);
    expect(String(error)).toMatch(/SOTTO_MODELS_PRISM_WEIGHTS: .*sub is a folder, not a GGUF file\./);
    expect(String(error)).toMatch(/SOTTO_MODELS_LAMBDA_WEIGHTS: .*page\.gguf is not a GGUF file/);
    expect(String(error)).toContain("or to 'starter'");
  });

  it("are refused when empty", async () => {
    await writeFile(first, "");
    await expect(resolved(first, second, second)).rejects.toThrow(/is not a GGUF file/);
  });
});

describe("weights prepared for a change-over", () => {
  const options = { dataDir: "unused", reencodes: true };

  it("are an absolute path once the file was looked at", async () => {
    const written = relative(process.cwd(), first);
    expect(await prepareWeights({ type: "weights", path: written }, options)).toBe(first);
  });

  it("are refused when they do not fit", async () => {
    const source = { type: "weights", path: first } as const;
    await expect(prepareWeights(source, { ...options, availableBytes: 1e6 })).rejects.toThrow(
      /needs at least .* of memory/,
    );
  });
});
