/**
 * The engine's child process: loads the model, then answers messages until it is told to close or its parent
 * is gone. It keeps nothing of a conversation but the replies under way, and prints nothing. When the native
 * part is beyond repair it exits, and the host starts another.
 */
import { IdleCollection } from "../../../adapters/idle-collection.js";
import { nothingKept } from "../../../core/serving/engine-port.js";
import type { FromWorker, LoadRequest, PrepareResult, ToWorker } from "../messages.js";
import { missingLibrary } from "./missing-library.js";
import { silenceStandardError } from "./null-device.js";
import { Runner, type RunnerOptions } from "./runner.js";
import { VectorRunner } from "./vectors/vector-runner.js";

/** By what the model is for. */
let replies: Runner | undefined;
let vectors: VectorRunner | undefined;
const loaded = (): Runner | VectorRunner | undefined => replies ?? vectors;

const bringsContent = new Set<ToWorker["type"]>(["prepare", "prepare_task", "generate", "compute"]);
const collection = new IdleCollection({ isIdle: () => loaded()?.isIdle !== false });

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
      await prepared(message.id, vectors?.prepare(message.task));
      return;
    case "generate":
      replies?.generate(message.id, message.request);
      return;
    case "compute":
      vectors?.compute(message.id, message.request);
      return;
    case "abort":
      loaded()?.abort(message.id);
      return;
    case "forget":
      // Nothing is kept of what was embedded.
      replies?.forgetAccount(message.accountId);
      return;
    case "count_kept":
      send({ type: "kept", id: message.id, kept: replies?.keptOf(message.accountId) ?? nothingKept });
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
  try {
    const options: RunnerOptions = {
      onStep: (report) => {
        send({ type: "step", report });
      },
      onBroken: () => void exitBroken(),
    };
    const { facts } = isForReplies(request)
      ? (replies = await Runner.load(request, options))
      : (vectors = await VectorRunner.load(request, options));
    // From here on requests may come.
    silenceStandardError();
    send({ type: "loaded", facts });
  } catch (error) {
    // No conversation has been seen yet: the message can only be about the file and the machine.
    const reason = error instanceof Error ? error.message : "unknown error";
    const missing = /NoBinaryFound/.test(reason) ? missingLibrary(backendOf(request)) : null;
    send({ type: "load_failed", reason: missing ?? reason }, () => process.exit(1));
  }
}

async function exitBroken(): Promise<void> {
  await loaded()?.endPrompts();
  process.exit(1);
}

const backendOf = ({ gpu }: LoadRequest) => (gpu === "off" ? "cpu" : gpu);

const isForReplies = ({ task = "chat" }: LoadRequest): boolean => task === "chat";

async function prepared(id: number, reading: Promise<PrepareResult | null> | undefined): Promise<void> {
  const result = await reading;
  if (result !== undefined && result !== null) send({ type: "prepared", id, result });
}

function send(message: FromWorker, onSent: () => void = () => undefined): void {
  // A message that cannot be sent has no reader left; `disconnect` follows.
  process.send?.(message, onSent);
}
