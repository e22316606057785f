/**
 * Merges a correction into a GGUF file, one thread for each core. The threads take tensors from one list, the
 * costliest first, so that none waits long for the last. What comes out depends on the two files alone, to the
 * bit, so its SHA-256 can be known beforehand.
 */
import { createReadStream } from "node:fs";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { availableParallelism, endianness } from "node:os";
import { buffer } from "node:stream/consumers";
import { packageFile, programFile, runsFromSources } from "../../adapters/program-files.js";
import { WorkerThread } from "../../adapters/worker-thread.js";
import { withTimeLimit } from "../../core/time-limit.js";
import { readWholeHeader } from "../gguf/gguf.js";
import { GgufError } from "../gguf/gguf-header.js";
import { hashFile } from "../files/hash-file.js";
import { syncToDisk } from "../files/temporary-file.js";
import { planMerge, plannedHeader, type MergePlan } from "./merge-plan.js";
import type { MergeFiles } from "./merge-tensor.js";
import type { StarterFile } from "./starter-file.js";

export type Merged = Omit<StarterFile, "fileName">;

export interface MergeOptions extends Omit<MergeFiles, "kernel"> {
  onProgress: (doneBytes: number, totalBytes: number) => void;
  /** Where a thread begins. */
  workerFile?: URL | undefined;
  threads?: number | undefined;
}

/** A slow disk takes a minute. */
const limitMs = 15 * 60_000;
/** More would read and write one disk without being faster. */
const mostThreads = 8;

/** Writes `target`, which must not exist, and syncs it to disk. */
export async function mergeWeights(options: MergeOptions): Promise<Merged> {
  // The formats are little-endian, and so is every processor that the engine is built for.
  if (endianness() !== "LE") throw new GgufError("cannot be re-encoded on a big-endian machine");
  const { onProgress, target } = options;
  const plan = await begin(options);
  await mergeTensors(plan, options);
  await syncToDisk(target, "r+");
  onProgress(plan.bytes, plan.bytes);
  return { bytes: plan.bytes, sha256: await hashFile(target) };
}

/** Creates the file at its full length, with its header. Throws `GgufError` for a correction of other weights. */
async function begin({ base, correction, target }: MergeOptions): Promise<MergePlan> {
  const { header } = await readWholeHeader(base);
  const plan = planMerge(header, (await readWholeHeader(correction)).header);
  const old = await buffer(createReadStream(base, { end: header.dataAt - 1 }));
  await writeFile(target, plannedHeader(old, header, plan), { flag: "wx", mode: 0o600 });
  await truncate(target, plan.bytes);
  return plan;
}

function costliestFirst({ tensors }: MergePlan): number[] {
  const cost = (index: number): number => {
    const planned = tensors[index];
    return (planned?.tensor.values ?? 0) * (planned?.correction?.rank ?? 1);
  };
  return tensors.map((_, index) => index).sort((a, b) => cost(b) - cost(a));
}

/** Each thread takes one tensor after another until none is left. */
async function mergeTensors(plan: MergePlan, options: MergeOptions): Promise<void> {
  const { base, correction, target, onProgress } = options;
  const { workerFile: file = programFile("models/starter/merge-worker") } = options;
  const { threads = Math.min(mostThreads, availableParallelism()) } = options;
  const workerData: MergeFiles = { base, correction, target, kernel: await kernelProgram() };
  const workers = Array.from(
    { length: threads },
    () => new WorkerThread<number, string | null>({ file, workerData, startMs: limitMs, taskMs: limitMs }),
  );
  const waiting = costliestFirst(plan);
  let doneBytes = 0;
  const mergeIn = async (worker: WorkerThread<number, string | null>): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const reason = await worker.run(index).catch(() => "its thread ended");
      if (reason !== null) throw new Error(reason);
      doneBytes += plan.tensors[index]?.bytes ?? 0;
      onProgress(doneBytes, plan.bytes);
    }
  };
  try {
    const tooLate = () => new Error(`it took longer than ${limitMs / 60_000} minutes`);
    await withTimeLimit(Promise.all(workers.map(mergeIn)), limitMs, tooLate);
  } finally {
    // No thread is to start another tensor.
    waiting.length = 0;
    await Promise.all(workers.map((worker) => worker.close()));
  }
}

/** The build assembles the kernel; a program that runs from its sources does so itself. */
async function kernelProgram(): Promise<Uint8Array<ArrayBuffer>> {
  if (!runsFromSources) return new Uint8Array(await readFile(packageFile("dist/merge-kernel.wasm")));
  const { default: openWabt } = await import("wabt");
  const text = await readFile(packageFile("src/models/starter/merge-kernel.wat"), "utf8");
  const parsed = (await openWabt()).parseWat("merge-kernel.wat", text, { simd: true });
  return new Uint8Array(parsed.toBinary({}).buffer);
}
