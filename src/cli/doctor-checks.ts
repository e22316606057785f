import { checkEngine } from "./doctor-engine.js";
import { checkDatabase, checkDataDirectory, checkNode } from "./doctor-ground.js";
import { checkModels } from "./doctor-models.js";
import { checkMail, checkPort, checkPublicAddress } from "./doctor-network.js";
import { checkOpenFiles } from "./doctor-open-files.js";
import type { Check } from "./finding.js";

/** What `sotto doctor` looks at, in the order in which it is shown. A new check is added here. */
export const checks: readonly Check[] = [
  checkNode,
  checkOpenFiles,
  checkDataDirectory,
  checkDatabase,
  checkModels,
  checkEngine,
  checkPort,
  checkPublicAddress,
  checkMail,
];
