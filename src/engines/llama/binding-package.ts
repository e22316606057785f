/** The binding's platform packages on this machine, found without loading any of its code. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as z from "zod";
import type { Backend, GpuBackend } from "./backends.js";

const platforms: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "mac", win32: "win" };
export const platformName = (): string =>
  `${platforms[process.platform] ?? process.platform}-${process.arch}`;

/** Platforms whose prebuilt package has a hash in the lockfile: unverified native code is not installed. */
export const packagedPlatforms: readonly string[] = ["linux-arm64", "linux-armv7l", "linux-x64"];

/** Null where this version comes with an engine for this machine; otherwise the platform's name. */
export const platformWithoutEngine = (name = platformName()): string | null =>
  packagedPlatforms.includes(name) ? null : name;

/** The version of the binding; "none" where it is not installed. All of its packages have the same one. */
export function bindingVersion(): string {
  const folder = packageFolder(prebuiltPackage("cpu"));
  if (folder === null) return "none";
  const description: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return z.object({ version: z.string() }).parse(description).version;
}

/** Whether the packages have a library for it. */
export const isInstalled = (backend: GpuBackend): boolean => packageFolder(prebuiltPackage(backend)) !== null;

/** The source of the native code, as a git bundle; null where it is not installed. */
export function bindingSource(): string | null {
  return existingFile(packageFolder("node-llama-cpp"), sourceFile);
}

/** Where the binding's main package has the source. */
export const sourceFile = "llama/gitRelease.bundle";

/** What opens one backend with the prebuilt packages. */
export interface PrebuiltBinding {
  addon: string;
  /** Where a package of extra libraries has others for the same backend. */
  extraFolder: string | undefined;
}

/** Null where its package is not installed. */
export function prebuiltBinding(backend: Backend): PrebuiltBinding | null {
  const folder = libraryFolder(backend);
  if (folder === null) return null;
  const extra = packageFolder(`${prebuiltPackage(backend)}-ext`);
  return {
    addon: join(folder, addonFile),
    extraFolder: extra === null ? undefined : join(extra, "bins", variantOf(backend)),
  };
}

/** The name by which the native code looks for a GPU's library. */
export const libraryFile = (backend: GpuBackend): string =>
  process.platform === "win32" ? `ggml-${backend}.dll` : `libggml-${backend}.so`;

/**
 * The prebuilt library to open by hand when the binding does not load: for a GPU the one that links to its driver, for
 * the CPU the binding itself. Null where there is none as a file of its own.
 */
export function bindingLibrary(backend: Backend): string | null {
  const name = backend === "cpu" ? addonFile : libraryFile(backend);
  return existingFile(libraryFolder(backend), name);
}

export const prebuiltPackage = (backend: Backend): string => `@node-llama-cpp/${variantOf(backend)}`;

/** Apple silicon has one package for both: there the CPU is Metal's without layers on the GPU. */
const variantOf = (backend: Backend): string => {
  if (platformName() === "mac-arm64") return "mac-arm64-metal";
  return backend === "cpu" ? platformName() : `${platformName()}-${backend}`;
};

const addonFile = "llama-addon.node";

function existingFile(folder: string | null, name: string): string | null {
  const path = join(folder ?? "", name);
  return folder !== null && existsSync(path) ? path : null;
}

function libraryFolder(backend: Backend): string | null {
  const folder = packageFolder(prebuiltPackage(backend));
  return folder === null ? null : join(folder, "bins", variantOf(backend));
}

function packageFolder(name: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder)) ?? null;
}
