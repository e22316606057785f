/**
 * Merges a correction into a GGUF file, one thread for each core. The threads take tensors from one list, the
 * costliest first, so that none waits long for the last. What comes out depends on the two files alone, to the
 * bit, so its SHA-256 can be known beforehand.
 */
import { open } from "node:fs/promises";
import { availableParallelism, endianness } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { programFile, runsFromSources } from "../../adapters/program-files.js";
import { withTimeLimit } from "../../core/time-limit.js";
import { readWholeHeader } from "../gguf/gguf.js";
import { GgufError } from "../gguf/gguf-header.js";
import { hashFile } from "../files/hash-file.js";
import { syncToDisk } from "../files/temporary-file.js";
import { planMerge, plannedHeader, type MergePlan } from "./merge-plan.js";
import { openTensorMerger, type MergeFiles } from "./merge-tensor.js";
import type { MergeWorkerMessage } from "./merge-worker.js";

export interface Merged {
  bytes: number;
  sha256: string;
}

export interface MergeOptions extends MergeFiles {
  onProgress: (doneBytes: number, totalBytes: number) => void;
  /** Where a thread begins; null does the work right here. */
  workerFile?: string | null | undefined;
  threads?: number | undefined;
}

/** A slow disk takes a minute. */
const limitMs = 15 * 60_000;
/** More would read and write one disk without being faster. */
const mostThreads = 8;

/** The size that the file will have. Throws `GgufError` when the correction is not one for these weights. */
export async function mergedBytes(base: string, correction: string): Promise<number> {
  return planMerge((await readWholeHeader(base)).header, (await readWholeHeader(correction)).header).bytes;
}

/** Writes `target`, which must not exist, and syncs it to disk. */
export async function mergeWeights({
  onProgress,
  workerFile = builtWorkerFile(),
  threads = Math.min(mostThreads, availableParallelism()),
  ...files
}: MergeOptions): Promise<Merged> {
  // The formats are little-endian, and so is every processor that the engine is built for.
  if (endianness() !== "LE") throw new GgufError("cannot be re-encoded on a big-endian machine");
  const plan = await begin(files);
  let doneBytes = 0;
  const onWritten = (bytes: number): void => {
    doneBytes += bytes;
    onProgress(doneBytes, plan.bytes);
  };
  const list = costliestFirst(plan);
  if (workerFile === null) await mergeHere(files, list, onWritten);
  else await mergeInThreads(files, list, onWritten, workerFile, threads);
  await syncToDisk(files.target, "r+");
  onProgress(plan.bytes, plan.bytes);
  return { bytes: plan.bytes, sha256: await hashFile(files.target) };
}

/** Creates the file at its full length, with its header. */
async function begin({ base, correction, target }: MergeFiles): Promise<MergePlan> {
  const { header } = await readWholeHeader(base);
  const plan = planMerge(header, (await readWholeHeader(correction)).header);
  const source = await open(base);
  try {
    const old = Buffer.alloc(header.dataAt);
    await source.read(old, 0, old.length, 0);
    const file = await open(target, "wx", 0o600);
    try {
      await file.write(plannedHeader(old, header, plan));
      await file.truncate(plan.bytes);
    } finally {
      await file.close();
    }
  } finally {
    await source.close();
  }
  return plan;
}

function costliestFirst({ tensors }: MergePlan): number[] {
  const cost = (index: number): number => {
    const planned = tensors[index];
    return (planned?.tensor.values ?? 0) * (planned?.correction?.rank ?? 1);
  };
  return tensors.map((_, index) => index).sort((a, b) => cost(b) - cost(a));
}

async function mergeHere(
  files: MergeFiles,
  list: readonly number[],
  onWritten: (bytes: number) => void,
): Promise<void> {
  const merger = await openTensorMerger(files);
  try {
    for (const index of list) await merger.merge(index, onWritten);
  } finally {
    await merger.close();
  }
}

async function mergeInThreads(
  files: MergeFiles,
  list: number[],
  onWritten: (bytes: number) => void,
  workerFile: string,
  threads: number,
): Promise<void> {
  const waiting = [...list];
  const workers = Array.from({ length: threads }, () => new Worker(workerFile, { workerData: files }));
  try {
    const merged = Promise.all(workers.map((worker) => drive(worker, waiting, onWritten)));
    const tooLate = () => new Error(`it took longer than ${limitMs / 60_000} minutes`);
    await withTimeLimit(merged, limitMs, tooLate);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Gives the thread one tensor after another until none is left. */
function drive(worker: Worker, waiting: number[], onWritten: (bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: MergeWorkerMessage) => {
      if (message.type === "progress") {
        onWritten(message.writtenBytes);
        return;
      }
      if (message.type === "failed") {
        reject(new Error(message.reason));
        return;
      }
      const next = waiting.shift();
      if (next === undefined) resolve();
      else worker.postMessage(next);
    });
    worker.on("error", reject);
    worker.on("exit", () => reject(new Error("its thread ended")));
  });
}

/** Null when the program runs from its sources, which a thread cannot read. */
function builtWorkerFile(): string | null {
  return runsFromSources ? null : fileURLToPath(programFile("models/starter/merge-worker"));
}
