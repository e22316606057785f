/**
 * The starter weights in the form that decodes fastest here. They are re-encoded once, in a thread, into a file
 * of their own name; it is compared with the hash it must have and only then renamed, so that the final name
 * holds a whole file or none. Whatever goes wrong is told as a reason and leaves the joined file in use: slower
 * weights are better than no answer.
 */
import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ReencodeMessage } from "./reencode-worker.js";
import { reencode, reencodedBytes, type Reencoded } from "./reencode.js";
import { removeLeftovers, syncFolder } from "./temporary-file.js";

export interface FastWeightsOptions {
  source: string;
  target: string;
  /** What comes of it, which depends on the source alone. */
  expected: Reencoded;
  freeBytes: (folder: string) => Promise<number>;
  onProgress: (doneBytes: number, totalBytes: number) => void;
  /** Where the thread begins. */
  workerFile?: string | undefined;
}

const temporaryMark = ".encoding-";
/** A slow disk takes a minute. */
const limitMs = 15 * 60_000;

/** Null when `target` is written; otherwise why not, as the end of a sentence. */
export async function makeFastWeights(options: FastWeightsOptions): Promise<string | null> {
  const { source, target, expected, freeBytes } = options;
  const temporary = `${target}${temporaryMark}${randomUUID()}`;
  try {
    const needed = await reencodedBytes(source);
    const free = await freeBytes(dirname(target));
    if (free < needed) return `it needs ${megabytes(needed)} and ${megabytes(free)} are free`;
    const result = await runWorker(options, temporary);
    if (result.sha256 !== expected.sha256) return "the result does not match its SHA-256";
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown fault";
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Removes what killed processes left behind. */
export const removeFastLeftovers = (target: string): Promise<void> => removeLeftovers(target, temporaryMark);

async function runWorker(options: FastWeightsOptions, target: string): Promise<Reencoded> {
  const { source, onProgress, workerFile = builtWorkerFile() } = options;
  if (workerFile === null) return reencode(source, target, onProgress);
  const worker = new Worker(workerFile, { workerData: { source, target } });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Reencoded>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${limitMs / 60_000} minutes`)), limitMs);
      worker.on("message", (message: ReencodeMessage) => {
        if (message.type === "progress") onProgress(message.doneBytes, message.totalBytes);
        else if (message.type === "done") resolve(message.result);
        else reject(new Error(message.reason));
      });
      worker.on("error", reject);
      worker.on("exit", () => reject(new Error("its thread ended")));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** Null when the program runs from its sources, which a thread cannot read: then the work is done right here. */
function builtWorkerFile(): string | null {
  if (import.meta.url.endsWith(".ts")) return null;
  return fileURLToPath(new URL("./reencode-worker.js", import.meta.url));
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
