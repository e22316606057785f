/** The service manager's own commands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { UserError } from "../../core/user-error.js";
import type { Environment } from "../environment.js";
import type { Step } from "./service-plan.js";

/** Returns what it printed; throws with its own words when it fails. */
export async function runStep([program = "", ...args]: Step, env: Environment): Promise<string> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close").catch((): unknown[] => []);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return output;
  const reason = errors.trim() === "" ? "it could not be run" : errors.trim();
  throw new UserError(`'${[program, ...args].join(" ")}' failed: ${reason}`);
}

/** Runs it in this terminal until it ends, or until Ctrl-C ends it. */
export async function showStep([program = "", ...args]: Step, env: Environment): Promise<void> {
  const child = spawn(program, args, { env, stdio: "inherit" });
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  try {
    const [code, signal] = await once(child, "exit").catch((): unknown[] => []);
    if (code === 0 || code === 130 || typeof signal === "string") return;
    throw new UserError(`'${[program, ...args].join(" ")}' failed or could not be run.`);
  } finally {
    process.off("SIGINT", ignore);
  }
}
