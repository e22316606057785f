/**
 * What this thread was started with. Imported first, since the gate must be entered before the native library is
 * loaded.
 */
import { workerData } from "node:worker_threads";
import type { ThreadSetup } from "./messages.js";
import { enter } from "./native-gate.js";

export const setup = workerData as ThreadSetup;
enter(setup.gate);
