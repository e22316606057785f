/** What the commands read from standard input. */
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { UserError } from "../core/user-error.js";
import { typed } from "./terminal.js";

const wrongUsage = { exitCode: 2 };
const maxPipedLength = 64 * 1024;

/** The first line of what is piped in. Not from a terminal, which would show it. */
export async function readPiped(command: Command, what: string, example: string): Promise<string> {
  if (process.stdin.isTTY) command.error(`error: pipe the ${what} in, for example: ${example}`, wrongUsage);
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > maxPipedLength) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? "";
}

/** Asks before an irreversible action. Without a terminal, `--yes` is required. */
export async function confirm(
  command: Command,
  question: string,
  refusal = "this cannot be undone and there is no terminal to ask on. Add --yes to confirm.",
): Promise<boolean> {
  if (command.opts<{ yes?: boolean }>().yes === true) return true;
  if (!process.stdin.isTTY) command.error(`error: ${refusal}`, wrongUsage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(typed(`${question} [y/N] `)).catch(() => {
      // Ctrl-C or Ctrl-D: no answer, and the cursor is still on the line of the question.
      process.stderr.write("\n");
      return "";
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** The same, for what is not done unless it is confirmed. */
export async function requireConfirmed(
  command: Command,
  question: string,
  { nothing = "changed", refusal }: { nothing?: "changed" | "deleted"; refusal?: string } = {},
): Promise<void> {
  if (!(await confirm(command, question, refusal)))
    throw new UserError(`Not confirmed, so nothing was ${nothing}.`);
}
