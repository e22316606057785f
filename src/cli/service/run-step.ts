/** The service manager's own commands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { UserError } from "../../core/user-error.js";
import type { Step } from "./service-plan.js";

/** Returns what it printed; throws with its own words when it fails. */
export async function runStep([program = "", ...args]: Step): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close").catch(() => [null]);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (code === 0) return output;
  const reason = errors.trim() === "" ? "it could not be run" : errors.trim();
  throw new UserError(`'${[program, ...args].join(" ")}' failed: ${reason}`);
}

/** Runs it in this terminal until it ends. */
export async function showStep([program = "", ...args]: Step): Promise<void> {
  const child = spawn(program, args, { stdio: "inherit" });
  // Ctrl-C ends what is shown; this command ends with it.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  try {
    const [code, signal] = await once(child, "exit").catch(() => [1, null]);
    if (code !== 0 && code !== 130 && signal === null)
      throw new UserError(`'${[program, ...args].join(" ")}' could not be run or failed.`);
  } finally {
    process.off("SIGINT", ignore);
  }
}
