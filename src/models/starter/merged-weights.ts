/**
 * The starter weights with their correction, in the form that decodes fastest on a CPU. They are merged once, into
 * a file under a temporary name; it is compared with the hash it must have and only then renamed, so that the
 * final name holds a whole file or none. Whatever goes wrong is told as a reason and leaves the joined file in
 * use: weaker and slower weights are better than no answer.
 */
import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { megabytes } from "../files/sizes.js";
import { removeLeftovers, syncFolder } from "../files/temporary-file.js";
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

const temporaryMark = ".merging-";

/** Null when `target` is written; otherwise why not, as the end of a sentence. */
export async function makeMergedWeights(options: MergedWeightsOptions): Promise<string | null> {
  const { base, target, expected, freeBytes, onProgress, workerFile } = options;
  const temporary = `${target}${temporaryMark}${randomUUID()}`;
  try {
    const problem = await checkCorrection(options.correction, base.sha256);
    if (problem !== null) return problem;
    const files = { base: base.path, correction: options.correction.path, target: temporary };
    const needed = await mergedBytes(files.base, files.correction);
    const free = await freeBytes(dirname(target));
    if (free < needed) return `it needs ${megabytes(needed)} and ${megabytes(free)} are free`;
    const result = await mergeWeights({ ...files, onProgress, workerFile });
    if (result.sha256 !== expected.sha256) return "the result does not match its SHA-256";
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown error";
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes what killed processes left behind. */
export const removeMergeLeftovers = (target: string): Promise<void> => removeLeftovers(target, temporaryMark);
