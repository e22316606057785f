/** Why an engine's process did not load or ended: a code for logs, and a sentence with advice for the operator. */
import type { EngineProblem } from "../../../core/serving/engine-port.js";

/**
 * Why a process ended: told to close, killed by us (unresponsive: by the watchdog), by a SIGKILL of somebody else, by any
 * other signal, or by itself. An errno stands for one that could not be started.
 */
export type ExitCause =
  | "CLOSED"
  | "UNRESPONSIVE"
  | "LOAD_TIMED_OUT"
  | "CLOSE_TIMED_OUT"
  | "KILLED_BY_SYSTEM"
  | "CRASHED"
  | "EXITED";

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  cause: string;
}

/** The first whose words occur. */
const signs: readonly [cause: string, words: RegExp][] = [
  ["LOAD_TIMED_OUT", /^Loading took longer/],
  ["KILLED_BY_SYSTEM", /killed by the system/],
  ["PLATFORM_UNSUPPORTED", /has no engine for/],
  ["MODEL_UNSUPPORTED", /unknown (model )?architecture|unknown pre-tokenizer|unsupported model/i],
  [
    "LIBRARY_MISSING",
    /\.(so|dll|dylib)\S*: cannot open|: version .* not found|symbol lookup error|undefined symbol|NoBinaryFound|Cannot find (module|package)/i,
  ],
  [
    "OUT_OF_MEMORY",
    /out of (\w+ )?memory|bad_alloc|insufficient memory|not enough (v?ram|memory)|failed to allocate|cannot allocate memory/i,
  ],
  [
    "WEIGHTS_DAMAGED",
    /gguf|invalid magic|corrupt|(missing|wrong) .*tensor|tensor .*(not found|wrong|bounds)|end of file|file bounds|key not found/i,
  ],
  ["CRASHED", /process crashed/],
];

const advice: Readonly<Record<string, string>> = {
  PLATFORM_UNSUPPORTED: "Use an engine on the network (docs/upstreams.md), or run Sotto on Linux.",
  MODEL_UNSUPPORTED: "Choose weights of an architecture that this version supports: sotto models catalog",
  LIBRARY_MISSING:
    "Install what is missing, or run 'npm ci --include=optional' on this machine. 'sotto doctor' checks it.",
  OUT_OF_MEMORY:
    "Free memory, choose smaller weights, or lower SOTTO_ENGINE_CONTEXT_TOKENS or SOTTO_ENGINE_SEQUENCES.",
  WEIGHTS_DAMAGED:
    "The file is damaged or incomplete: download it again (sotto models pull) or choose other weights (sotto models use).",
  LOAD_TIMED_OUT: "Raise SOTTO_ENGINE_LOAD_TIMEOUT_MS, or choose smaller weights.",
  KILLED_BY_SYSTEM: "Give it more memory, or choose smaller weights or a shorter context.",
  UNRESPONSIVE: "The machine may be overloaded or swapping. The log has a line for each restart.",
};

/** Of a load that failed, by the words of the error, which may be what the process printed before it ended. */
export function loadProblem(reason: string): EngineProblem {
  const cause = signs.find(([, words]) => words.test(reason))?.[0] ?? "LOAD_FAILED";
  return withAdvice(cause, reason);
}

/** Of a process that ended after it had loaded. */
export function exitProblem(exit: ChildExit): EngineProblem {
  return withAdvice(exit.cause, describeExit(exit));
}

const endings: Readonly<Record<string, string>> = {
  KILLED_BY_SYSTEM: "was killed by the system, probably out of memory (SIGKILL).",
  UNRESPONSIVE: "stopped responding and was killed by Sotto's watchdog.",
  LOAD_TIMED_OUT: "took too long to load and was killed by Sotto.",
  CLOSE_TIMED_OUT: "took too long to close and was killed by Sotto.",
};

export function describeExit({ code, signal, cause }: ChildExit): string {
  const otherwise =
    signal !== null
      ? `crashed (${signal}).`
      : code !== null
        ? `exited with code ${code}.`
        : `could not be started (${cause}).`;
  return `The engine's process ${endings[cause] ?? otherwise}`;
}

function withAdvice(cause: string, text: string): EngineProblem {
  const next = advice[cause];
  return { cause, text: next === undefined ? text : `${text.replace(/[.;:]?\s*$/, ".")} ${next}` };
}
