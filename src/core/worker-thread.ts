/**
 * Starts a thread from a file of this program. A thread begins without the loaders of its process, so one that runs
 * from its sources compiles its file first, with the bundler that builds the program.
 */
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

export function newWorker(file: URL, options: WorkerOptions = {}): Worker {
  // It has no use for the environment, which holds secrets, nor for the flags of this process.
  const settings = { env: {}, execArgv: [], ...options };
  if (!file.pathname.endsWith(".ts")) return new Worker(file, settings);
  return new Worker(fromSource(fileURLToPath(file)), { ...settings, eval: true });
}

/** The file of that name beside the one that asks, as it is built or as it is written. */
export function workerBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith(".ts") ? "ts" : "js"}`, moduleUrl);
}

const fromSource = (path: string): string => `
  const { buildSync } = require("esbuild");
  const [{ text }] = buildSync({
    entryPoints: [${JSON.stringify(path)}],
    bundle: true, write: false, platform: "node", packages: "external", format: "cjs",
  }).outputFiles;
  new Function("require", text)(require);`;
