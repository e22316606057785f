/**
 * `sotto-verify`: the command `sotto verify` as one file, for whoever has neither an account nor the service's
 * sources.
 */
import { CommanderError } from "commander";
import { Command } from "./cli/command.js";
import { provideEnvironment } from "./cli/environment.js";
import { exitCodeOf } from "./cli/exit-codes.js";
import { provideTerminal } from "./cli/terminal.js";
import { describeVerify } from "./cli/verify/verify.js";

provideTerminal(
  { script: process.argv[1] ?? "", nodePath: process.execPath, folder: process.cwd(), env: process.env },
  { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY },
);
const program = new Command("sotto-verify");
provideEnvironment(program, process.env);
describeVerify(program);
process.exitCode = await run(process.argv);

/** As `runProgram` of the whole program, without what that needs to explain the errors of a server. */
async function run(argv: readonly string[]): Promise<number> {
  try {
    await program.exitOverride().parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error);
    console.error(`error: ${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}
