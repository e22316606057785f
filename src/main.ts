/** Where the program starts: arguments and environment in, an exit code out. */
import { addCommands } from "./cli/command-list.js";
import { provideEnvironment } from "./cli/environment.js";
import { newProgram, runProgram } from "./cli/program.js";

// Whoever reads our output may stop reading, as `head` does. That is no error, and must not end a server.
process.stdout.on("error", () => {});

const program = newProgram();
provideEnvironment(program, process.env);
await addCommands(program, process.argv.slice(2));
process.exitCode = await runProgram(program, process.argv);
