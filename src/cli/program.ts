/**
 * The root command and how a run ends (exit-codes.ts). Errors are sentences on stderr that say what to do next; no stack traces. `serve` hides the messages of
 * unexpected errors once it has listened (serve/end-on-unexpected.ts).
 */
import { CommanderError } from "commander";
import { packageVersion } from "../adapters/program-files.js";
import { CloseError } from "../core/close-all.js";
import { openFileLimit, TooFewOpenFiles } from "../adapters/open-files.js";
import { Command } from "./command.js";
import { exitCodeOf } from "./exit-codes.js";
import { hasColours, paint, typed } from "./terminal.js";

export function newProgram(): Command {
  return new Command("sotto")
    .description("A private, OpenAI-compatible chat completion service.")
    .version(packageVersion(), "--version", "print the version")
    .configureOutput({
      writeOut: (text) => void process.stdout.write(typed(text)),
      writeErr: (text) => void process.stderr.write(typed(text)),
      outputError: (text, write) => {
        write(redError(text));
      },
      getOutHasColors: () => hasColours("stdout"),
      getErrHasColors: () => hasColours("stderr"),
    })
    .configureHelp({
      styleTitle: (text) => paint("bold", text),
      styleCommandText: (text) => paint("cyan", text),
      styleSubcommandText: (text) => paint("cyan", text),
      styleOptionText: (text) => paint("green", text),
    })
    .showHelpAfterError("Add --help for usage.")
    .exitOverride().notes(`
Examples:
  sotto serve                                     run the service on http://127.0.0.1:8080
  sotto accounts create ada@example.com           create an account
  sotto keys create ada@example.com --name ci     create a key for it

  sotto open                                      sign in to the dashboard as its operator
  sotto chat                                      talk to a model here
  sotto top                                       watch requests, queue and speed
  sotto doctor                                    check everything, and say what to do next
  sotto privacy check                             search everything for text that was sent

Every command has its own --help; 'sotto help --all' shows all of them. NO_COLOR=1 turns colours off, FORCE_COLOR=1 turns them on.`);
}

/** Runs the command in `argv` and returns the exit code. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    // Commander has printed it already.
    if (error instanceof CommanderError) return exitCodeOf(error);
    console.error(redError(typed(`error: ${await describeError(error)}`)));
    return 1;
  }
}

const redError = (text: string): string =>
  text.replace(/^error:/, paint(["red", "bold"], "error:", "stderr"));

async function describeError(error: unknown): Promise<string> {
  // Loaded when something failed: they know the errors of the whole program.
  const { isForOperator } = await import("./operator-errors.js");
  const { UnexpectedEnd } = await import("./serve/end-on-unexpected.js");
  if (isForOperator(error) || error instanceof UnexpectedEnd || error instanceof CloseError) {
    return error.message;
  }
  if (isNodeError(error, "EMFILE")) return new TooFewOpenFiles(openFileLimit()).message;
  if (isNodeError(error, "EADDRINUSE")) {
    return `port ${error.port ?? ""} is in use (EADDRINUSE). Stop the program that uses it, or choose another with --port (SOTTO_METRICS_PORT for the metrics).`;
  }
  if (isNodeError(error, "EADDRNOTAVAIL") && error.syscall === "listen") {
    return `${error.address ?? "the address"} is not an address of this machine (EADDRNOTAVAIL). Choose one with --host (SOTTO_HOST): 127.0.0.1 for this machine alone, 0.0.0.0 for all of its networks.`;
  }
  if (isNodeError(error, "ENOTFOUND") && error.syscall === "getaddrinfo") {
    return `the name ${error.hostname ?? ""} has no address (ENOTFOUND). Check its spelling: --host (SOTTO_HOST) names an address of this machine.`;
  }
  if (isNodeError(error, "EACCES") && error.port !== undefined) {
    return `this user may not listen on port ${error.port} (EACCES). Choose one above 1023 with --port.`;
  }
  const reason = error instanceof Error ? error.message : "unknown error";
  return `something unexpected went wrong: ${reason}`;
}

type NetworkError = NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string };

const isNodeError = (error: unknown, code: string): error is NetworkError =>
  error instanceof Error && "code" in error && error.code === code;
