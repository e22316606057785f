import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ggufBytes, llamaFields, randomTensor } from "../../../test/support/engines/gguf-file.js";
import { ensureStarterWeights, findStarter, type StarterOptions, type StarterWeights } from "./starter.js";
import { mergeWeights } from "./merge.js";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const source = ggufBytes(llamaFields, [
  randomTensor("token_embd.weight", [256, 30], 13),
  randomTensor("blk.0.ffn_up.weight", [256, 4000], 16),
  randomTensor("output_norm.weight", [256], 0),
  randomTensor("blk.0.attn_q.weight", [512, 5], 16, 2),
]);
const correction = ggufBytes(
  { "general.type": "adapter", "adapter.type": "lora", "adapter.lora.alpha": 32 },
  [
    randomTensor("blk.0.ffn_up.weight.lora_a", [256, 32], 2, 5),
    randomTensor("blk.0.ffn_up.weight.lora_b", [32, 4000], 2, 6),
  ],
);
const middle = 100_000;
const halves = [source.subarray(0, middle), source.subarray(middle)];

/** What `mergeWeights` makes of them. */
let expected: { file: Buffer; bytes: number; sha256: string };
beforeAll(async () => {
  const made = await mkdtemp(join(tmpdir(), "sotto-expected-"));
  await writeFile(join(made, "source"), source);
  await writeFile(join(made, "correction"), correction);
  const target = join(made, "expected");
  const facts = await mergeWeights({
    base: join(made, "source"),
    correction: join(made, "correction"),
    target,
    onProgress: () => {},
  });
  expected = { ...facts, file: await readFile(target) };
  await rm(made, { recursive: true });
});

let folder: string;
let weights: StarterWeights;
let notices: string[];
const joined = (): string => join(folder, "models", "joined.gguf");
const merged = (): string => join(folder, "models", "merged.gguf");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-merged-"));
  notices = [];
  for (const [index, bytes] of halves.entries()) await writeFile(join(folder, `part${index}`), bytes);
  await writeFile(join(folder, "correction"), correction);
  const { bytes, sha256: hash } = expected;
  weights = {
    fileName: "joined.gguf",
    sha256: sha256(source),
    parts: halves.map((bytes, index) => ({
      name: `part${index}`,
      bytes: bytes.length,
      sha256: sha256(bytes),
    })),
    merged: {
      fileName: "merged.gguf",
      bytes,
      sha256: hash,
      correction: {
        path: join(folder, "correction"),
        bytes: correction.length,
        sha256: sha256(correction),
        baseSha256: sha256(source),
      },
    },
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ensure = (options: StarterOptions = {}): Promise<string> =>
  ensureStarterWeights(folder, {
    weights,
    locatePart: (name) => join(folder, name),
    onNotice: (sentence) => notices.push(sentence),
    ...options,
  });
/** The same weights, with something else expected of what they become. */
const withMerged = (change: Partial<NonNullable<StarterWeights["merged"]>>): StarterWeights => {
  if (weights.merged === undefined) throw new Error("no merged weights");
  return { ...weights, merged: { ...weights.merged, ...change } };
};
const files = (): Promise<string[]> => readdir(join(folder, "models"));

describe("the starter weights with their correction", () => {
  it("are made once, and the joined file is not kept", async () => {
    const progress: number[] = [];
    expect(await ensure({ onProgress: (done, total) => progress.push(done / total) })).toBe(merged());
    expect(await files()).toEqual(["merged.gguf", "merged.gguf.verified.json"]);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect((await readFile(merged())).equals(expected.file)).toBe(true);
    // Neither packages nor another run of the thread are needed afterwards.
    expect(await ensure({ locatePart: () => null, mergeWorkerFile: new URL("file:///none") })).toBe(merged());
    expect(notices).toEqual([]);
  });

  it("are created again when damaged", async () => {
    await ensure();
    await truncate(merged(), 1000);
    expect(await ensure()).toBe(merged());
    expect(notices).toEqual([
      expect.stringMatching(/merged\.gguf has 1000 bytes instead of .* It is created again\.$/),
    ]);
    expect((await readFile(merged())).equals(expected.file)).toBe(true);
  });

  it("keep a joined file that could not be created again", async () => {
    await ensure({ corrects: false });
    expect(await ensure({ locatePart: () => null })).toBe(merged());
    expect(await files()).toContain("joined.gguf");
  });

  it("may be made by several at once", async () => {
    expect(await Promise.all([ensure(), ensure(), ensure(), ensure()])).toEqual(Array(4).fill(merged()));
    expect(notices).toEqual([]);
    expect(await files()).toEqual(["merged.gguf", "merged.gguf.verified.json"]);
  });

  it("are rid of what a killed process left long ago, and of nothing that may be under way", async () => {
    await ensure();
    await writeFile(`${merged()}.new-old`, "half");
    await utimes(`${merged()}.new-old`, new Date(), new Date(Date.now() - 11 * 60_000));
    await writeFile(`${merged()}.new-new`, "half");
    await ensure();
    expect(await files()).toEqual(["merged.gguf", "merged.gguf.new-new", "merged.gguf.verified.json"]);
  });

  it("are found without making anything", async () => {
    const find = (locatePart: (name: string) => string | null) =>
      findStarter(folder, true, { weights, locatePart });
    expect(await find(() => null)).toEqual({ type: "missing" });
    expect(await find(() => "here")).toEqual({ type: "installed" });
    await ensure();
    expect(await find(() => null)).toEqual({ type: "ready", path: merged() });
  });

  it("are left as they come when the correction is off", async () => {
    expect(await ensure({ corrects: false })).toBe(joined());
    expect(await files()).toEqual(["joined.gguf", "joined.gguf.verified.json"]);
  });
});

describe("a merge that fails leaves the joined file in use and says so in one sentence:", () => {
  it("no space", async () => {
    expect(await ensure({ freeBytes: async () => source.length + 1 })).toBe(joined());
    expect(notices).toEqual([
      expect.stringMatching(
        /^The starter weights could not be corrected \(it needs .* kB and .* kB are free\): .* half the speed\.$/,
      ),
    ]);
    expect(await files()).toEqual(["joined.gguf", "joined.gguf.verified.json"]);
  });

  it("a thread that does not start", async () => {
    expect(await ensure({ mergeWorkerFile: pathToFileURL(join(folder, "none.js")) })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("could not be corrected")]);
  });

  it("a thread that dies half-way", async () => {
    const dying = join(folder, "dying.mjs");
    await writeFile(
      dying,
      `import { writeFileSync } from "node:fs"; import { workerData } from "node:worker_threads";
       writeFileSync(workerData.target, "GGUF half"); process.exit(1);`,
    );
    expect(await ensure({ mergeWorkerFile: pathToFileURL(dying) })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("its thread ended")]);
    expect(await files()).toEqual(["joined.gguf", "joined.gguf.verified.json"]);
  });

  it("a result other than it must be", async () => {
    expect(await ensure({ weights: withMerged({ bytes: 5, sha256: "0".repeat(64) }) })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("does not match its SHA-256")]);
    expect(await files()).toEqual(["joined.gguf", "joined.gguf.verified.json"]);
  });

  it("a correction that is missing", async () => {
    await rm(join(folder, "correction"));
    expect(await ensure()).toBe(joined());
    expect(notices).toEqual([
      expect.stringMatching(/could not be corrected \(the correction .* is missing\)/),
    ]);
  });

  it("a correction that is damaged", async () => {
    const broken = Buffer.from(correction);
    broken.writeUInt8(broken.readUInt8(5000) ^ 1, 5000);
    await writeFile(join(folder, "correction"), broken);
    expect(await ensure()).toBe(joined());
    await writeFile(join(folder, "correction"), broken.subarray(0, 5000));
    expect(await ensure()).toBe(joined());
    expect(notices).toEqual([
      expect.stringContaining("is damaged: it does not match its SHA-256"),
      expect.stringMatching(/is damaged: it has 5000 bytes instead of \d+/),
    ]);
  });

  it("a correction for other weights", async () => {
    const { merged: { correction: ours } = {} } = weights;
    if (ours === undefined) throw new Error("no correction");
    const other = withMerged({ correction: { ...ours, baseSha256: "1".repeat(64) } });
    expect(await ensure({ weights: other })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("is for other weights")]);
  });
});
