/** A thread that re-encodes one file, so that the main one stays free to listen and to be told to stop. */
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { reencode, type Reencoded } from "./reencode.js";

export type ReencodeMessage =
  | { type: "progress"; doneBytes: number; totalBytes: number }
  | { type: "done"; result: Reencoded }
  | { type: "failed"; reason: string };

const { source, target } = z.object({ source: z.string(), target: z.string() }).parse(workerData);
const tell = (message: ReencodeMessage): void => parentPort?.postMessage(message);

try {
  const result = await reencode(source, target, (doneBytes, totalBytes) =>
    tell({ type: "progress", doneBytes, totalBytes }),
  );
  tell({ type: "done", result });
} catch (error) {
  tell({ type: "failed", reason: error instanceof Error ? error.message : "unknown fault" });
}
