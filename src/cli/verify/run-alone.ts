import { type Command, CommanderError } from "commander";

/** As `runProgram` of the whole program, without what that needs to explain the errors of a server. */
export async function runAlone(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.exitOverride().parseAsync(argv);
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      console.error(`error: ${error instanceof Error ? error.message : "unknown error"}`);
      return 2;
    }
    if (error.code === "commander.error") return error.exitCode;
    return error.exitCode === 0 ? 0 : 2;
  }
}
