/**
 * Tries a backend in a throwaway process (`probe-child.ts`). Native code may abort, hang or end the process: the
 * outcome is then derived from what it printed, which contains no user data, since it has seen no request. Bounded in
 * time and in what is kept of its output; leaves no file and no process behind.
 */
import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programFile } from "../../../adapters/program-files.js";
import { bounded, kindOf, informativeLine, type FailureKind } from "./failures.js";
import type { ProbeAnswer, ProbeRequest } from "../messages.js";
import { writeProbeModel } from "./probe-model.js";

export type ProbeOutcome =
  Extract<ProbeAnswer, { type: "works" }> | { type: "failed"; kind: FailureKind; words: string };

export interface ProbeOptions extends Pick<ProbeRequest, "backend" | "cacheType"> {
  env: NodeJS.ProcessEnv;
  /** The folder of a GPU library of this machine, instead of the binding's. */
  library?: string | undefined;
  /** The file of the engine's extension, which is tried as well. */
  extension?: string | undefined;
  /** The child's program. By default the one beside this file. */
  program?: string | undefined;
  limitMs?: number | undefined;
}

/** A driver may compile every kernel for the card at its first use, which takes most of this. */
const defaultLimitMs = 60_000;
const keptOutputChars = 128 * 1024;

/** Never rejects. */
export async function probe(options: ProbeOptions): Promise<ProbeOutcome> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), "sotto-probe-"));
    const weights = join(folder, "probe.gguf");
    writeProbeModel(weights);
    return await runChild(options, folder, weights);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown error";
    return { type: "failed", kind: "not_tried", words: bounded(`could not be tried: ${reason}`) };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function runChild(options: ProbeOptions, folder: string, weights: string): Promise<ProbeOutcome> {
  const { backend, cacheType, library, extension, limitMs = defaultLimitMs } = options;
  const { program = defaultProgram() } = options;
  const child = fork(program, {
    // What an abort leaves behind goes with the folder.
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A backtrace would have a debugger look at the process, if there is one.
    env: { ...options.env, GGML_NO_BACKTRACE: "1" },
    execArgv: program.endsWith(".ts") ? process.execArgv : [],
    // The binding starts a process of its own to try its library: both are ended together.
    detached: process.platform !== "win32",
  });
  let output = "";
  let answer: ProbeAnswer | undefined;
  let timedOut = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-keptOutputChars);
    });
  }
  child.on("message", (message: ProbeAnswer) => {
    answer ??= message;
  });
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, limitMs);
  return new Promise((resolve) => {
    const settle = (ending: string) => {
      clearTimeout(timer);
      if (answer?.type === "works") resolve(answer);
      else if (timedOut) resolve(failed("timed_out", `no answer within ${Math.round(limitMs / 1000)} s`));
      else if (answer !== undefined) resolve(failed("failed", bounded(answer.reason), output));
      else resolve(failed("crashed", `its process ended with ${ending}`, output));
    };
    child.once("exit", () => killGroup(child));
    // Closed: everything it printed has been read.
    child.once("close", (code, signal) => {
      settle(signal ?? `exit code ${code ?? "unknown"}`);
    });
    child.once("error", (error) => settle(bounded(error.message)));
    // A message that cannot be delivered needs no care of its own: the exit is on its way.
    const request: ProbeRequest = { backend, weights, cacheType, library, extension };
    child.send(request, () => undefined);
  });
}

/** What the library printed says more than how its process ended. */
function failed(ending: FailureKind, words: string, output = ""): ProbeOutcome {
  const known = kindOf(words);
  if (known !== "failed") return { type: "failed", kind: known, words };
  const line = informativeLine(output);
  if (line === null) return { type: "failed", kind: ending, words };
  const printed = kindOf(line);
  return { type: "failed", kind: printed === "failed" ? ending : printed, words: line };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // It has ended, and so has whatever it started.
  }
}

const defaultProgram = (): string => fileURLToPath(programFile("engines/llama/worker/probe-child"));
