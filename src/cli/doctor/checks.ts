import { checkAliases } from "./aliases-check.js";
import { checkEngine } from "./engine-check.js";
import { checkDatabase, checkDataDirectory, checkNode } from "./ground-checks.js";
import { checkModels } from "./models-checks.js";
import { checkMail, checkPort, checkPublicAddress } from "./network-checks.js";
import { checkOpenFiles } from "./open-files-check.js";
import { checkRedis } from "./redis-check.js";
import type { Check } from "./finding.js";

/** What `sotto doctor` looks at, in the order in which it is shown. A new check is added here. */
export const checks: readonly Check[] = [
  checkNode,
  checkOpenFiles,
  checkDataDirectory,
  checkDatabase,
  checkRedis,
  checkModels,
  checkAliases,
  checkEngine,
  checkPort,
  checkPublicAddress,
  checkMail,
];
