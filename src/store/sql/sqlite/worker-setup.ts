/**
 * What this thread was started with. Its gate is entered here, before the native library is loaded: the module that
 * does so imports this one first.
 */
import { workerData } from "node:worker_threads";
import type { ThreadSetup } from "./messages.js";
import { enter } from "./native-gate.js";

export const setup = workerData as ThreadSetup;
enter(setup.gate);
