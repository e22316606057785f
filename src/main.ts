/** Where the program starts: arguments and environment in, an exit code out. */
import { commands } from "./cli/command-list.js";
import { newProgram, runProgram } from "./cli/program.js";
import { provideEnvironment } from "./cli/settings.js";

// Whoever reads our output may stop reading, as `head` does. That is no error, and must not end a server.
process.stdout.on("error", () => {});

const program = newProgram();
provideEnvironment(program, process.env);
for (const add of commands) add(program);
process.exitCode = await runProgram(program, process.argv);
