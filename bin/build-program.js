/** Runs the build as a process of its own, so that none of its libraries stay in memory, and shows how far it is. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { startProgress } from "./start-progress.js";

/** Rejects with what the build has printed. */
export async function buildProgram(script) {
  const progress = await startProgress();
  const child = fork(script, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  child.on("message", ({ done, total }) => progress.build(done, total));
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  progress.handOver();
  if (code !== 0) throw new Error(errors);
}
