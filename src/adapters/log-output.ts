/**
 * Standard error, written by this process itself and not in the background: what is said last before a crash is not
 * lost.
 *
 * The first line of a turn of the event loop is written immediately, and the others of that turn together at its end:
 * under load, a system call for each line costs more than everything else about it. Warnings are written immediately
 * as well, and so is what is left when the process exits.
 *
 * A reader that does not keep up must not stop the service. Where the pipe to it does not block, it is waited for,
 * for a second in a minute at most; beyond that, lines are dropped. EPIPE is ignored.
 */
import { writeSync } from "node:fs";

/** Where lines go, each with its line break. */
export interface LogOutput {
  write(line: string): void;
  /** Called after a line that must not be lost. */
  flush?(): void;
}

const standardError = 2;
const mostWaiting = 64 * 1024;
const longestWaitMs = 1_000;
const allowedEveryMs = 60_000;
const pollMs = 10;

let standard: LogOutput | undefined;
/** One for all logs of the process, so that lines stay in their order. */
export const standardErrorOutput = (): LogOutput => (standard ??= openStandardError());

function openStandardError(): LogOutput {
  let lines = "";
  let isFirst = true;
  const write = writerTo(standardError);
  const flush = () => {
    if (lines === "") return;
    const text = lines;
    lines = "";
    write(text);
  };
  const endTurn = () => {
    isFirst = true;
    flush();
  };
  process.once("exit", flush);
  return {
    write: (line) => {
      lines += line;
      if (isFirst) setImmediate(endTurn);
      if (isFirst || lines.length > mostWaiting) flush();
      isFirst = false;
    },
    flush,
  };
}

/** The returned function writes all of a text, or drops the rest of it. */
export function writerTo(file: number, put: typeof writeSync = writeSync): (text: string) => void {
  let isWithinLine = false;
  let [waitedMs, firstWaitMs] = [0, 0];
  const mayWait = (): boolean => {
    const nowMs = performance.now();
    if (waitedMs === 0 || nowMs - firstWaitMs > allowedEveryMs) [waitedMs, firstWaitMs] = [0, nowMs];
    return waitedMs < longestWaitMs;
  };
  return (text) => {
    let rest = Buffer.from(isWithinLine ? `\n${text}` : text);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(put(file, rest));
        isWithinLine = rest.length > 0;
      } catch (error) {
        // A full pipe may be read again. Otherwise nobody is there to read, or no room to write to.
        const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
        if (!isFull || !mayWait()) return;
        Atomics.wait(sleeper, 0, 0, pollMs);
        waitedMs += pollMs;
      }
    }
  };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
