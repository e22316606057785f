/** Runs the programs that a build or a download needs: bounded in time, with errors that say what to do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { UserError } from "../../../../core/user-error.js";
import { bounded, informativeLine, lastLine } from "../failures.js";

/** A tool is missing, or failed. */
export class ToolError extends UserError {}

export interface ToolRun {
  args: readonly string[];
  limitMs: number;
  /** What it prints, as it comes. */
  onOutput?: ((text: string) => void) | undefined;
  /** What to do when there is no such program. */
  missing: string;
}

const keptOutputChars = 256 * 1024;

/** Resolves to what it printed on its standard output; rejects with a `ToolError`. */
export async function runTool(command: string, run: ToolRun): Promise<string> {
  const child = spawn(command, run.args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: run.limitMs,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let output = "";
  const keep = (text: string) => {
    output = (output + text).slice(-keptOutputChars);
    run.onOutput?.(text);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout = (stdout + text).slice(-keptOutputChars);
    keep(text);
  });
  child.stderr.setEncoding("utf8").on("data", keep);
  const [code, signal] = (await once(child, "close").catch((error: unknown) => {
    throw isMissing(error) ? new ToolError(`There is no '${command}' here. ${run.missing}`) : error;
  })) as [number | null, NodeJS.Signals | null];
  if (code === 0) return stdout;
  if (signal === "SIGKILL" && child.killed) {
    throw new ToolError(`'${command}' took longer than ${Math.round(run.limitMs / 60_000)} minutes.`);
  }
  const words = informativeLine(output) ?? lastLine(output) ?? `exit code ${code ?? "unknown"}`;
  throw new ToolError(bounded(`'${command}' failed: ${words}`));
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
