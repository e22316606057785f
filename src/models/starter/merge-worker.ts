/** A worker thread of the merge: opens the files once, then merges the tensors it is sent, one at a time. */
import { parentPort, workerData } from "node:worker_threads";
import * as z from "zod";
import { openTensorMerger } from "./merge-tensor.js";

export type MergeWorkerMessage =
  | { type: "ready" }
  | { type: "progress"; writtenBytes: number }
  /** It waits for the next tensor. */
  | { type: "merged" }
  | { type: "failed"; reason: string };

const files = z.object({ base: z.string(), correction: z.string(), target: z.string() }).parse(workerData);
const tell = (message: MergeWorkerMessage): void => parentPort?.postMessage(message);
const fail = (error: unknown): void =>
  tell({ type: "failed", reason: error instanceof Error ? error.message : "unknown error" });

try {
  const merger = await openTensorMerger(files);
  parentPort?.on("message", (index: number) => {
    merger
      .merge(index, (writtenBytes) => tell({ type: "progress", writtenBytes }))
      .then(() => tell({ type: "merged" }), fail);
  });
  tell({ type: "ready" });
} catch (error) {
  fail(error);
}
