/**
 * The starter weights with their correction, in the format that decodes fastest on a CPU. They are merged once, and
 * checked against their known hash. Any failure is returned as a reason and leaves the joined file in use: weaker and
 * slower weights are better than no answer.
 */
import { dirname } from "node:path";
import { formatBytes } from "../sizes.js";
import { writeAtomically } from "../files/temporary-file.js";
import { checkCorrection, type Correction } from "./correction.js";
import { mergedBytes, mergeWeights, type Merged } from "./merge.js";

export interface MergedWeightsOptions {
  base: { path: string; sha256: string };
  correction: Correction;
  target: string;
  /** What comes of it, which depends on base and correction alone. */
  expected: Merged;
  freeBytes: (folder: string) => Promise<number>;
  onProgress: (doneBytes: number, totalBytes: number) => void;
  workerFile?: string | undefined;
}

/** Null when `target` is written; otherwise why not, as the end of a sentence. */
export async function createMergedWeights(options: MergedWeightsOptions): Promise<string | null> {
  const { base, target, expected, freeBytes, onProgress, workerFile } = options;
  try {
    const problem = await checkCorrection(options.correction, base.sha256);
    if (problem !== null) return problem;
    const files = { base: base.path, correction: options.correction.path };
    const needed = await mergedBytes(files.base, files.correction);
    const free = await freeBytes(dirname(target));
    if (free < needed) return `it needs ${formatBytes(needed)} and ${formatBytes(free)} are free`;
    await writeAtomically(target, async (temporary) => {
      const result = await mergeWeights({ ...files, target: temporary, onProgress, workerFile });
      if (result.sha256 !== expected.sha256) throw new Error("the result does not match its SHA-256");
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown error";
  }
}
