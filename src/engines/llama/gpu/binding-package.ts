/** The packages of the binding on this machine, found without loading any of its code. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";
import type { GpuBackend } from "./backends.js";

const platforms: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "mac", win32: "win" };
const platformName = (): string => `${platforms[process.platform] ?? process.platform}-${process.arch}`;

/** The version of the binding; "none" where it is not installed. */
export function bindingVersion(): string {
  const folder = packageFolder("node-llama-cpp");
  if (folder === null) return "none";
  const description: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return z.object({ version: z.string() }).parse(description).version;
}

/** Whether there is anything to try: a prebuilt package, or a build made on this machine. */
export const isInstalled = (backend: GpuBackend): boolean =>
  packageFolder(prebuiltPackage(backend)) !== null || localBuilds().some((name) => name.includes(backend));

/** Builds made on this machine, by name; they take precedence over prebuilt packages. */
export function localBuilds(): string[] {
  const folder = packageFolder("node-llama-cpp");
  if (folder === null) return [];
  try {
    return readdirSync(join(folder, "llama", "localBuilds")).sort();
  } catch {
    return [];
  }
}

/** The prebuilt library that links to the driver; null where there is none as a file of its own. */
export function bindingLibrary(backend: GpuBackend): string | null {
  const folder = packageFolder(prebuiltPackage(backend));
  if (folder === null) return null;
  const path = join(folder, "bins", `${platformName()}-${backend}`, `libggml-${backend}.so`);
  return existsSync(path) ? path : null;
}

const prebuiltPackage = (backend: GpuBackend): string => `@node-llama-cpp/${platformName()}-${backend}`;

function packageFolder(name: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder)) ?? null;
}
