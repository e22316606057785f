/**
 * The starter weights with their correction, in the format that decodes fastest on a CPU. They are merged once, and
 * checked against their known hash. Any failure is returned as a reason and leaves the joined file in use: weaker and
 * slower weights are better than no answer.
 */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFile } from "../../adapters/program-files.js";
import { hashFile } from "../files/hash-file.js";
import { writeAtomically } from "../files/temporary-file.js";
import { formatBytes } from "../sizes.js";
import { mergeWeights, type Merged } from "./merge.js";

/**
 * A LoRA adapter, trained for exactly one file. Ours is in `starter/` at the root of the package; the README beside it
 * says how and on what it was trained.
 */
export interface Correction {
  path: string;
  bytes: number;
  sha256: string;
  /** The SHA-256 of the weights that it was trained for. */
  baseSha256: string;
}

export const starterCorrection: Correction = {
  path: fileURLToPath(packageFile("starter/correction.gguf")),
  bytes: 29_113_696,
  sha256: "083a1fa57fb67bddaed264eaf151df5a217bdaca13f48d17e3789ca4b3e542d1",
  baseSha256: "9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0",
};

export interface MergedWeightsOptions {
  base: { path: string; sha256: string };
  correction: Correction;
  target: string;
  /** What comes of it, which depends on base and correction alone. */
  expected: Merged;
  freeBytes: (folder: string) => Promise<number>;
  onProgress: (doneBytes: number, totalBytes: number) => void;
  workerFile?: URL | undefined;
}

/** Null when `target` is written; otherwise why not, as the end of a sentence. */
export async function createMergedWeights(options: MergedWeightsOptions): Promise<string | null> {
  const { base, target, expected, freeBytes, onProgress, workerFile } = options;
  try {
    const problem = await checkCorrection(options.correction, base.sha256);
    if (problem !== null) return problem;
    const files = { base: base.path, correction: options.correction.path };
    const free = await freeBytes(dirname(target));
    if (free < expected.bytes)
      return `it needs ${formatBytes(expected.bytes)} and ${formatBytes(free)} are free`;
    await writeAtomically(target, async (temporary) => {
      const result = await mergeWeights({ ...files, target: temporary, onProgress, workerFile });
      if (result.sha256 !== expected.sha256) throw new Error("the result does not match its SHA-256");
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown error";
  }
}

/** Null when it can be merged into these weights; otherwise why not, as the end of a sentence. */
async function checkCorrection(correction: Correction, baseSha256: string): Promise<string | null> {
  const { path } = correction;
  if (correction.baseSha256 !== baseSha256) return `the correction ${path} is for other weights`;
  const { size } = await stat(path).catch(() => ({ size: null }));
  if (size === null) return `the correction ${path} is missing`;
  if (size !== correction.bytes)
    return `the correction ${path} is damaged: it has ${size} bytes instead of ${correction.bytes}`;
  if ((await hashFile(path)) !== correction.sha256)
    return `the correction ${path} is damaged: it does not match its SHA-256`;
  return null;
}
