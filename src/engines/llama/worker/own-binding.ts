/**
 * Opens the CPU's binding with a GPU library beside it that is none of its own. The binding's public way in knows only
 * the libraries of its own packages, each as a whole set, so this uses the same internal step that it ends with.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { bindingLibrary } from "../binding-package.js";
import type { GpuBackend } from "../backends.js";
import { requireMethods } from "./native-vocabulary.js";

/** Of the addon, what is needed before the binding takes over. */
interface Addon {
  loadBackends(folder: string): void;
}

/** What the internal step takes; see `Llama._create` of the pinned version. */
export interface Opened {
  bindings: Addon;
  bindingPath: string;
  buildType: "localBuild";
  buildMetadata: unknown;
}

export function openWithLibrary(backend: GpuBackend, folder: string): Opened {
  const bindingPath = bindingLibrary("cpu");
  if (bindingPath === null) throw new Error("NoBinaryFound: the CPU's package of the engine is missing");
  const bindings = createRequire(import.meta.url)(bindingPath) as Addon;
  requireMethods(bindings, ["loadBackends"]);
  // The GPU first: it is preferred in this order.
  bindings.loadBackends(folder);
  bindings.loadBackends(dirname(bindingPath));
  return { bindings, bindingPath, buildType: "localBuild", buildMetadata: metadata(bindingPath, backend) };
}

/** The CPU's own description with the GPU in it: where the release comes from is the same. */
function metadata(bindingPath: string, gpu: GpuBackend): unknown {
  const text = readFileSync(join(dirname(bindingPath), "_nlcBuildMetadata.json"), "utf8");
  const { buildOptions } = JSON.parse(text) as { buildOptions: object };
  return { buildOptions: { ...buildOptions, gpu } };
}
