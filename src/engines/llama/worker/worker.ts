/**
 * The engine's child process: loads the model, then answers messages until it is told to close or its parent
 * is gone. It keeps nothing of a conversation but the replies under way, and prints nothing. When the native
 * part is beyond repair it exits, and the host starts another.
 */
import { IdleCollection } from "../../../adapters/idle-collection.js";
import type { FromWorker, LoadRequest, PromptInput, ToWorker } from "../messages.js";
import { missingLibrary } from "./missing-library.js";
import { silenceStandardError } from "./null-device.js";
import { Runner } from "./runner.js";

let runner: Runner | undefined;

const collection = new IdleCollection({ isIdle: () => runner?.isIdle !== false });

process.on("message", (message: ToWorker) => {
  if (message.type === "prepare" || message.type === "generate") collection.noteWork();
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
      await prepare(message.id, message.prompt);
      return;
    case "generate":
      runner?.generate(message.id, message.request);
      return;
    case "abort":
      runner?.abort(message.id);
      return;
    case "forget":
      runner?.forgetAccount(message.accountId);
      return;
    case "count_kept":
      if (runner !== undefined)
        send({ type: "kept", id: message.id, kept: runner.keptOf(message.accountId) });
      return;
    case "ping":
      send({ type: "pong" });
      return;
    case "close":
      await runner?.close();
      process.exit(0);
  }
}

async function load(request: LoadRequest): Promise<void> {
  try {
    runner = await Runner.load(request, {
      onStep: (report) => {
        send({ type: "step", report });
      },
      onBroken: () => void exitBroken(),
    });
    // From here on requests may come.
    silenceStandardError();
    send({ type: "loaded", facts: runner.facts });
  } catch (error) {
    // No conversation has been seen yet: the message can only be about the file and the machine.
    const reason = error instanceof Error ? error.message : "unknown error";
    const missing = /NoBinaryFound/.test(reason) ? missingLibrary(backendOf(request)) : null;
    send({ type: "load_failed", reason: missing ?? reason }, () => process.exit(1));
  }
}

async function exitBroken(): Promise<void> {
  await runner?.endPrompts();
  process.exit(1);
}

const backendOf = ({ gpu }: LoadRequest) => (gpu === "off" || gpu === "auto" ? "cpu" : gpu);

async function prepare(id: number, prompt: PromptInput): Promise<void> {
  const result = await runner?.prepare(prompt);
  if (result !== undefined && result !== null) send({ type: "prepared", id, result });
}

function send(message: FromWorker, onSent: () => void = () => undefined): void {
  // A message that cannot be sent has no reader left; `disconnect` follows.
  process.send?.(message, onSent);
}
