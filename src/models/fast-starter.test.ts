import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ggufBytes, llamaFields, randomTensor } from "../../test/support/gguf-file.js";
import { readWeightsFacts } from "./gguf.js";
import { reencode } from "./reencode.js";
import { ensureStarterWeights, findStarter, type StarterOptions, type StarterWeights } from "./starter.js";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const source = ggufBytes(llamaFields, [
  randomTensor("token_embd.weight", [256, 30], 10),
  randomTensor("blk.0.ffn_up.weight", [256, 40_000], 16),
  randomTensor("output_norm.weight", [256], 0),
  randomTensor("blk.0.attn_q.weight", [512, 5], 16, 2),
]);
const halves = [source.subarray(0, 1_000_000), source.subarray(1_000_000)];

let folder: string;
let weights: StarterWeights;
let notices: string[];
const joined = (): string => join(folder, "models", "slow.gguf");
const fast = (): string => join(folder, "models", "fast.gguf");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-fast-"));
  notices = [];
  for (const [index, bytes] of halves.entries()) await writeFile(join(folder, `part${index}`), bytes);
  await writeFile(join(folder, "source"), source);
  const made = await reencode(join(folder, "source"), join(folder, "expected"), () => {});
  weights = {
    fileName: "slow.gguf",
    sha256: sha256(source),
    parts: halves.map((bytes, index) => ({
      name: `part${index}`,
      bytes: bytes.length,
      sha256: sha256(bytes),
    })),
    fast: { fileName: "fast.gguf", ...made },
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ensure = (options: StarterOptions = {}): Promise<string> =>
  ensureStarterWeights(folder, {
    weights,
    locatePart: (name) => join(folder, name),
    onNotice: (sentence) => notices.push(sentence),
    reencodeWorkerFile: resolve("dist/models/reencode-worker.js"),
    ...options,
  });
const files = (): Promise<string[]> => readdir(join(folder, "models"));

describe("re-encoded weights", () => {
  it("hold the same tensors, of another type", async () => {
    const [before, after] = [
      await readWeightsFacts(join(folder, "source")),
      await readWeightsFacts(join(folder, "expected")),
    ];
    expect(after).toEqual({
      ...before,
      quantisation: "Q4_0",
      dominantType: "Q4_0",
      bytes: (await readFile(join(folder, "expected"))).length,
      files: [join(folder, "expected")],
    });
  });

  it("have the hash that their writing reported", async () => {
    expect(sha256(await readFile(join(folder, "expected")))).toBe(weights.fast?.sha256);
  });
});

describe("the starter weights for speed", () => {
  it("are made once, and the joined file is not kept", async () => {
    const progress: number[] = [];
    expect(await ensure({ onProgress: (done, total) => progress.push(done / total) })).toBe(fast());
    expect(await files()).toEqual(["fast.gguf", "fast.gguf.verified.json"]);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect((await readFile(fast())).equals(await readFile(join(folder, "expected")))).toBe(true);
    // Neither packages nor another run of the thread are needed afterwards.
    expect(await ensure({ locatePart: () => null, reencodeWorkerFile: "none" })).toBe(fast());
    expect(notices).toEqual([]);
  });

  it("are made again when damaged", async () => {
    await ensure();
    await truncate(fast(), 1000);
    expect(await ensure()).toBe(fast());
    expect(notices).toEqual([
      expect.stringMatching(/fast\.gguf has 1000 bytes instead of .* It is made again\.$/),
    ]);
    expect((await readFile(fast())).equals(await readFile(join(folder, "expected")))).toBe(true);
  });

  it("keep a joined file that could not be made again", async () => {
    await ensure({ reencodes: false });
    expect(await ensure({ locatePart: () => null })).toBe(fast());
    expect(await files()).toContain("slow.gguf");
  });

  it("may be made by several at once", async () => {
    expect(await Promise.all([ensure(), ensure(), ensure(), ensure()])).toEqual(Array(4).fill(fast()));
    expect(notices).toEqual([]);
    expect(await files()).toEqual(["fast.gguf", "fast.gguf.verified.json"]);
  });

  it("are rid of what a killed process left long ago, and of nothing that may be under way", async () => {
    await ensure();
    await writeFile(`${fast()}.encoding-old`, "half");
    await utimes(`${fast()}.encoding-old`, new Date(), new Date(Date.now() - 11 * 60_000));
    await writeFile(`${fast()}.encoding-new`, "half");
    await ensure();
    expect(await files()).toEqual(["fast.gguf", "fast.gguf.encoding-new", "fast.gguf.verified.json"]);
  });

  it("are found without making anything", async () => {
    const find = (locatePart: (name: string) => string | null) =>
      findStarter(folder, true, { weights, locatePart });
    expect(await find(() => null)).toEqual({ type: "missing", packages: ["part0", "part1"] });
    expect(await find(() => "here")).toEqual({ type: "installed" });
    await ensure();
    expect(await find(() => null)).toEqual({ type: "ready", path: fast() });
  });

  it("are left as they come when re-encoding is off", async () => {
    expect(await ensure({ reencodes: false })).toBe(joined());
    expect(await files()).toEqual(["slow.gguf", "slow.gguf.verified.json"]);
  });
});

describe("a re-encoding that fails leaves the joined file in use and says so in one sentence:", () => {
  it("no space", async () => {
    expect(await ensure({ freeBytes: async () => source.length + 1 })).toBe(joined());
    expect(notices).toEqual([
      expect.stringMatching(
        /^The starter weights could not be re-encoded \(it needs .* MB and .* MB are free\): .* half the speed\.$/,
      ),
    ]);
    expect(await files()).toEqual(["slow.gguf", "slow.gguf.verified.json"]);
  });

  it("a thread that does not start", async () => {
    expect(await ensure({ reencodeWorkerFile: join(folder, "none.js") })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("could not be re-encoded")]);
  });

  it("a thread that dies half-way", async () => {
    const dying = join(folder, "dying.mjs");
    await writeFile(
      dying,
      `import { writeFileSync } from "node:fs"; import { workerData } from "node:worker_threads";
       writeFileSync(workerData.target, "GGUF half"); process.exit(1);`,
    );
    expect(await ensure({ reencodeWorkerFile: dying })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("its thread ended")]);
    expect(await files()).toEqual(["slow.gguf", "slow.gguf.verified.json"]);
  });

  it("a result other than it must be", async () => {
    const wrong = { ...weights, fast: { fileName: "fast.gguf", bytes: 5, sha256: "0".repeat(64) } };
    expect(await ensure({ weights: wrong })).toBe(joined());
    expect(notices).toEqual([expect.stringContaining("does not match its SHA-256")]);
    expect(await files()).toEqual(["slow.gguf", "slow.gguf.verified.json"]);
  });
});
