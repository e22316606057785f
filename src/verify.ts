/**
 * `sotto-verify`: the command `sotto verify` as one file, for whoever has neither an account nor the service's
 * sources.
 */
import { Command } from "./cli/command.js";
import { provideEnvironment } from "./cli/environment.js";
import { provideTerminal } from "./cli/terminal.js";
import { describeVerify, runAlone } from "./cli/verify/verify.js";

provideTerminal(
  { script: process.argv[1] ?? "", nodePath: process.execPath, folder: process.cwd(), env: process.env },
  { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY },
);
const program = new Command("sotto-verify");
provideEnvironment(program, process.env);
describeVerify(program);
process.exitCode = await runAlone(program, process.argv);
