/**
 * Starts a thread from a file of this program. A thread begins without the loaders of its process, so where the program
 * runs from its sources, the file is compiled first, with the bundler that builds the program.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type * as Esbuild from "esbuild";

export function newWorker(file: URL, options: WorkerOptions = {}): Worker {
  // It has no use for the environment, which holds secrets, nor for the flags of this process.
  const settings = { env: {}, execArgv: [], ...options };
  if (!file.pathname.endsWith(".ts")) return new Worker(file, settings);
  return new Worker(compiled(fileURLToPath(file)), { ...settings, eval: true });
}

/** By the path of the source. Many are started from the same one, in tests above all. */
const programs = new Map<string, string>();

function compiled(path: string): string {
  const known = programs.get(path);
  if (known !== undefined) return known;
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    write: false,
    platform: "node",
    packages: "external",
    format: "cjs",
  });
  const program = outputFiles.map(({ text }) => text).join("");
  programs.set(path, program);
  return program;
}
