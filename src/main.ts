/** Where the program starts: arguments and environment in, an exit code out. */
import { addCommands } from "./cli/command-list.js";
import { provideEnvironment } from "./cli/environment.js";
import { newProgram, runProgram } from "./cli/program.js";
import { provideTerminal } from "./cli/terminal.js";

// Whoever reads our output may stop reading, as `head` does. That is no error, and must not end a server.
process.stdout.on("error", () => {});

provideTerminal(
  { script: process.argv[1] ?? "", nodePath: process.execPath, folder: process.cwd(), env: process.env },
  { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY },
);
const program = newProgram();
provideEnvironment(program, process.env);
await addCommands(program, process.argv.slice(2));
process.exitCode = await runProgram(program, process.argv);
