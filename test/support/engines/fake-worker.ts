/** A stand-in for the program of the engine's child process, written to a file and run as a real process. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A child process that follows a script instead of loading a model. `atStart` runs before any message. */
export function fakeWorkerIn(folder: string, script: string, atStart = ""): string {
  const path = join(mkdtempSync(join(folder, "worker-")), "worker.mjs");
  const facts =
    "{ loadMs: 1, threads: 1, contextTokens: 100, sequences: 1, gpu: 'cpu', description: '', memoryBytes: 1, " +
    "syntax: { type: 'marked', reasoning: null, calls: null, dropped: [] }, " +
    "template: { turn: 0, round: 0, repeated: { user: 0, assistant: 0, system: 0, tool: 0 }, call: 0, tool: 0 } }";
  writeFileSync(
    path,
    `import { existsSync, writeFileSync } from "node:fs";
     /** True once for this file, also when the process is another by then. */
     const firstTime = () => {
       const mark = import.meta.filename + ".mark";
       return !existsSync(mark) && (writeFileSync(mark, ""), true);
     };
     const send = (message, onSent) => process.send(message, onSent);
     const loaded = () => send({ type: "loaded", facts: ${facts} });
     const tokens = () => ({ type: "tokens", tokens: new Uint32Array(3), reasoningOpen: false });
     const step = (report) => send({ type: "step", report: { active: 0, progress: [], endings: [], ...report } });
     ${atStart}
     process.on("disconnect", () => process.exit());
     process.on("message", (message) => {
       if (message.type === "close") process.exit();
       ${script}
     });`,
  );
  return path;
}

export const answersPings = `if (message.type === "ping") send({ type: "pong" });`;
export const loadsAndPrepares = `
  if (message.type === "load") loaded();
  if (message.type === "prepare") send({ type: "prepared", id: message.id, result: tokens() });`;

export const finishes = `
  if (message.type === "generate") {
    const finishReason = "stop";
    step({ active: 1, progress: [{ id: message.id, choice: 0, text: "Well.", finishReason }] });
    step({ endings: [{ id: message.id, outcome: { type: "finished", completionTokens: 1, cachedTokens: 0 } }] });
  }`;
