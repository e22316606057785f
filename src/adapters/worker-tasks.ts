/** A thread's side of worker-thread.ts: reports that it is ready, then performs one task after another. */
import { parentPort, workerData } from "node:worker_threads";
import { overwriteFreedBuffers } from "./freed-buffers.js";
import { collectGarbage, IdleCollection } from "./idle-collection.js";

export type FromThread<Facts, Result> =
  | { type: "ready"; facts: Facts }
  /** The thread could not be set up. */
  | { type: "failed"; reason: string }
  | { type: "result"; result: Result };

/** An error that `perform` throws ends the thread; it may quote the task, and goes no further. */
// The caller names the type of what comes through the port.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function performTasks<Task>(perform: (task: Task) => unknown, facts?: unknown): void {
  const collection = new IdleCollection({
    collect: () => {
      collectGarbage();
      // Messages that this thread sent were written to memory of its own, which the other threads do not get.
      overwriteFreedBuffers();
      collectGarbage();
    },
  });
  const onMessage = async (task: Task | null): Promise<void> => {
    if (task === null) {
      collection.close();
      parentPort?.close();
      return;
    }
    send({ type: "result", result: await perform(task) });
    collection.noteWork();
  };
  parentPort?.on("message", (task: Task | null) => void onMessage(task));
  send({ type: "ready", facts });
}

/** `open` ends with `performTasks`. No task has been seen before: an error can only be about files and the machine. */
// The caller names the type of what the thread was given.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function openThread<Setup>(open: (setup: Setup) => Promise<void>): void {
  open(workerData as Setup).catch((error: unknown) => {
    send({ type: "failed", reason: error instanceof Error ? error.message : "unknown error" });
  });
}

function send(message: FromThread<unknown, unknown>): void {
  parentPort?.postMessage(message);
}
