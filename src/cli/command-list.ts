/** Every command, in the order in which `--help` lists them. */
import type { Command } from "commander";
import { accountsCommand } from "./commands/accounts.js";
import { backupCommand } from "./commands/backup.js";
import { changelogCommand } from "./commands/changelog.js";
import { connectCommand } from "./connect/connect.js";
import { doctorCommand } from "./doctor/doctor.js";
import { engineCommand } from "./commands/engine-libraries.js";
import { keysCommand } from "./commands/keys.js";
import { maintenanceCommand } from "./commands/maintenance.js";
import { modelsCommand } from "./models/models.js";
import { plansCommand } from "./commands/plans.js";
import { serveCommand } from "./serve/serve.js";
import { storeCommands } from "./commands/store.js";

export const commands: readonly ((program: Command) => void)[] = [
  serveCommand,
  accountsCommand,
  keysCommand,
  connectCommand,
  plansCommand,
  modelsCommand,
  engineCommand,
  changelogCommand,
  maintenanceCommand,
  backupCommand,
  storeCommands,
  doctorCommand,
];
