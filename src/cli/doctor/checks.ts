import { checkEngine } from "./engine-check.js";
import { checkAliases, checkCatalogue, checkModels } from "./models-checks.js";
import { checkMail, checkPort, checkPublicAddress, checkTls } from "./network-checks.js";
import {
  checkCoreDumps,
  checkDatabase,
  checkDataDirectory,
  checkNode,
  checkOpenFiles,
  checkProcesses,
  checkProof,
  checkRedis,
  checkSwap,
} from "./system-checks.js";
import type { Check } from "./finding.js";

/** In the order of the report. */
export const checks: readonly Check[] = [
  checkNode,
  checkProcesses,
  checkOpenFiles,
  checkCoreDumps,
  checkSwap,
  checkDataDirectory,
  checkDatabase,
  checkRedis,
  checkProof,
  checkModels,
  checkCatalogue,
  checkAliases,
  checkEngine,
  checkPort,
  checkTls,
  checkPublicAddress,
  checkMail,
];
