/** Every command, in the order in which `--help` lists them. */
import type { Command } from "commander";
import { accountsCommand } from "./accounts.js";
import { backupCommand } from "./backup.js";
import { changelogCommand } from "./changelog.js";
import { doctorCommand } from "./doctor.js";
import { keysCommand } from "./keys.js";
import { maintenanceCommand } from "./maintenance.js";
import { modelsCommand } from "./models.js";
import { plansCommand } from "./plans.js";
import { serveCommand } from "./serve.js";
import { storeCommands } from "./store.js";

export const commands: readonly ((program: Command) => void)[] = [
  serveCommand,
  accountsCommand,
  keysCommand,
  plansCommand,
  modelsCommand,
  changelogCommand,
  maintenanceCommand,
  backupCommand,
  storeCommands,
  doctorCommand,
];
