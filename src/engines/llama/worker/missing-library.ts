/**
 * Why the binding cannot be loaded, which it does not report itself. Opening the library directly makes the system name
 * what is missing; a library that opens but is no addon fails in another way, which is ignored.
 */
import { join } from "node:path";
import { bindingLibrary, libraryFile, platformWithoutEngine, prebuiltPackage } from "../binding-package.js";
import { isGpu, type Backend } from "../backends.js";

/** Null when nothing is missing, or nothing can be said about it. `folder` has the library of this machine for a GPU. */
export function missingLibrary(backend: Backend, folder?: string): string | null {
  const path =
    folder === undefined || !isGpu(backend) ? bindingLibrary(backend) : join(folder, libraryFile(backend));
  return path === null ? missingPackage(backend) : whyUnloadable(path);
}

export const noEngineFor = (platform: string): string =>
  `This version has no engine for ${platform}: the hash of its package is not known`;

export function whyUnloadable(path: string): string | null {
  try {
    process.dlopen({ exports: {} }, path);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return /cannot open|not found|no such file|could not|undefined symbol/i.test(reason) ? reason : null;
  }
}

/** Only the CPU must have one: GPUs are looked for before they are tried. */
function missingPackage(backend: Backend): string | null {
  if (backend !== "cpu") return null;
  const platform = platformWithoutEngine();
  return platform === null ? `Cannot find package '${prebuiltPackage(backend)}'` : noEngineFor(platform);
}
