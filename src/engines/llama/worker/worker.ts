/**
 * The engine's child process: loads the model, then answers messages until it is told to close or its parent
 * is gone. It keeps nothing of a conversation but the replies under way, and prints nothing. When the native
 * part is beyond repair it exits, and the host starts another.
 */
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { IdleCollection } from "../../../adapters/idle-collection.js";
import { nothingKept } from "../../../core/serving/engine-port.js";
import type { FromWorker, LoadRequest, PrepareResult, ToWorker } from "../messages.js";
import { missingLibrary } from "./missing-library.js";
import { Runner, type RunnerOptions } from "./runner.js";
import { VectorRunner } from "./vectors/vector-runner.js";

/** By what the model is for. */
let replies: Runner | undefined;
let vectors: VectorRunner | undefined;
const loaded = () => replies ?? vectors;

const standardError = 2;
const bringsContent = new Set<ToWorker["type"]>(["prepare", "prepare_task", "generate", "compute"]);
const collection = new IdleCollection({ isIdle: () => loaded()?.work.isIdle !== false });

process.on("message", (message: ToWorker) => {
  if (bringsContent.has(message.type)) collection.noteWork();
  void answer(message);
});

process.on("disconnect", () => {
  // The parent is gone. Exiting in order would wait for native threads in the middle of a step.
  process.kill(process.pid, "SIGKILL");
});

async function answer(message: ToWorker): Promise<void> {
  switch (message.type) {
    case "load":
      await load(message.request);
      return;
    case "prepare":
      await prepared(message.id, replies?.prepare(message.prompt));
      return;
    case "prepare_task":
      await prepared(message.id, vectors?.read(message.task));
      return;
    case "generate":
      replies?.generate(message.id, message.request);
      return;
    case "compute":
      vectors?.compute(message.id, message.request);
      return;
    case "abort":
      loaded()?.work.abort(message.id);
      return;
    case "forget":
      // Nothing is kept of what was embedded.
      replies?.work.forgetAccount(message.accountId);
      return;
    case "count_kept":
      send({ type: "kept", id: message.id, kept: replies?.work.keptOf(message.accountId) ?? nothingKept });
      return;
    case "ping":
      send({ type: "pong" });
      return;
    case "close":
      await loaded()?.close();
      process.exit(0);
  }
}

async function load(request: LoadRequest): Promise<void> {
  const { gpu, task = "chat" } = request;
  try {
    const options: RunnerOptions = {
      onStep: (report) => send({ type: "step", report }),
      onBroken: () => void exitBroken(),
    };
    const { facts } =
      task === "chat"
        ? (replies = await Runner.load(request, options))
        : (vectors = await VectorRunner.load(request, options));
    // From here on requests may come.
    silenceStandardError();
    send({ type: "loaded", facts });
  } catch (error) {
    // No conversation has been seen yet: the message can only be about the file and the machine.
    const reason = error instanceof Error ? error.message : "unknown error";
    const missing = /NoBinaryFound/.test(reason) ? missingLibrary(gpu === "off" ? "cpu" : gpu) : null;
    send({ type: "load_failed", reason: missing ?? reason }, () => process.exit(1));
  }
}

async function exitBroken(): Promise<void> {
  // Native code should not be in the middle of anything.
  await loaded()?.thread.close();
  process.exit(1);
}

async function prepared(id: number, reading: Promise<PrepareResult> | undefined): Promise<void> {
  try {
    const result = await reading;
    if (result !== undefined) send({ type: "prepared", id, result });
  } catch {
    // The thread is lost. Native code may be the cause, so the process is replaced.
    await exitBroken();
  }
}

function send(message: FromWorker, onSent: () => void = () => undefined): void {
  // A message that cannot be sent has no reader left; `disconnect` follows.
  process.send?.(message, onSent);
}

/**
 * Points standard error at the null device, as dup2 would: opening a file takes the lowest free descriptor. Native
 * code prints what it likes, and from here on conversations pass through it.
 */
function silenceStandardError(): void {
  closeSync(standardError);
  if (openSync(devNull, "w") !== standardError) {
    throw new Error("Standard error could not be pointed at the null device.");
  }
}
