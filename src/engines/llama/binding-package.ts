/** The packages of the binding on this machine, found without loading any of its code. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as z from "zod";
import type { Backend, GpuBackend } from "./backends.js";

const platforms: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "mac", win32: "win" };
const platformName = (): string => `${platforms[process.platform] ?? process.platform}-${process.arch}`;

/**
 * Platforms whose prebuilt package has a hash in the lockfile: native code that cannot be verified is not installed.
 */
export const packagedPlatforms: readonly string[] = ["linux-arm64", "linux-armv7l", "linux-x64"];

/** Null where this version comes with an engine for this machine; otherwise the platform's name. */
export const platformWithoutEngine = (name = platformName()): string | null =>
  packagedPlatforms.includes(name) ? null : name;

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

/** The source of the native code, as a git bundle; null where the binding has none. */
export function bindingSource(): string | null {
  const folder = packageFolder("node-llama-cpp");
  const path = folder === null ? null : join(folder, "llama", "gitRelease.bundle");
  return path !== null && existsSync(path) ? path : null;
}

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

/**
 * The prebuilt library to open by hand when the binding does not load: for a GPU the one that links to its driver, for
 * the CPU the binding itself. Null where there is none as a file of its own.
 */
export function bindingLibrary(backend: Backend): string | null {
  const folder = packageFolder(prebuiltPackage(backend));
  if (folder === null) return null;
  const file = backend === "cpu" ? "llama-addon.node" : `libggml-${backend}.so`;
  const path = join(folder, "bins", variantOf(backend), file);
  return existsSync(path) ? path : null;
}

export const prebuiltPackage = (backend: Backend): string => `@node-llama-cpp/${variantOf(backend)}`;
const variantOf = (backend: Backend): string =>
  backend === "cpu" ? platformName() : `${platformName()}-${backend}`;

function packageFolder(name: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder)) ?? null;
}
