/** A thread of the merge: opens the files once, then merges the tensors it is sent, one at a time. */
import { workerData } from "node:worker_threads";
import { performTasks } from "../../adapters/worker-tasks.js";
import { openTensorMerger, type MergeFiles } from "./merge-tensor.js";

let merge: ((index: number) => Promise<void>) | undefined;

/** Null, or why the tensor could not be merged. */
performTasks(async (index: number): Promise<string | null> => {
  try {
    merge ??= await openTensorMerger(workerData as MergeFiles);
    await merge(index);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown error";
  }
});
