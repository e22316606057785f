/** Where the program starts: arguments and environment in, an exit code out. */
import { accountsCommand } from "./cli/accounts.js";
import { changelogCommand } from "./cli/changelog.js";
import { doctorCommand } from "./cli/doctor.js";
import { keysCommand } from "./cli/keys.js";
import { maintenanceCommand } from "./cli/maintenance.js";
import { modelsCommand } from "./cli/models.js";
import { newProgram, runProgram } from "./cli/program.js";
import { serveCommand } from "./cli/serve.js";
import { provideEnvironment } from "./cli/settings.js";

// Whoever reads our output may stop reading, as `head` does. That is no fault, and must not end a server.
process.stdout.on("error", () => {});

const program = newProgram();
provideEnvironment(program, process.env);
serveCommand(program);
accountsCommand(program);
keysCommand(program);
changelogCommand(program);
maintenanceCommand(program);
modelsCommand(program);
doctorCommand(program);
process.exitCode = await runProgram(program, process.argv);
