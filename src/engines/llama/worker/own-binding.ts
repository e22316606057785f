/**
 * Opens the native code of the binding. The binding's public way in looks for its packages beside its own files, tries
 * each in a process of its own, and knows no libraries but those; so this takes the internal step that it ends with.
 * That also lets its JavaScript be bundled.
 *
 * A GPU's library comes from one of two places: a folder of this machine (`gpu/library`), opened beside the CPU's
 * binding, or the binding's own package for that GPU, which is a whole set. The engine's extension comes before all of
 * them (extension.ts).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { prebuiltBinding } from "../binding-package.js";
import { isGpu, type Backend } from "../backends.js";
import type { LoadRequest } from "../messages.js";
import { connectExtension, loadExtension } from "./extension.js";
import { requireMethods } from "./vocabulary.js";

/** What the internal step takes (`Llama._create` of the pinned version), and the extension. */
export function openNative(
  backend: Backend,
  { library: folder, extension: extensionFile }: Pick<LoadRequest, "library" | "extension">,
) {
  const isOwn = folder !== undefined && isGpu(backend);
  const prebuilt = prebuiltBinding(isOwn ? "cpu" : backend);
  if (prebuilt === null) throw new Error("NoBinaryFound: the package of the engine is missing");
  const { addon, extraFolder } = prebuilt;
  const loaded = loadExtension(extensionFile);
  // What is needed of it before the binding takes over.
  const bindings = createRequire(import.meta.url)(addon) as { loadBackends(folder: string): void };
  requireMethods(bindings, ["loadBackends"]);
  if (isOwn) {
    // The GPU first: it is preferred in this order.
    bindings.loadBackends(folder);
    bindings.loadBackends(dirname(addon));
  }
  return {
    bindings,
    bindingPath: addon,
    extBackendsPath: isOwn ? undefined : extraFolder,
    buildType: isOwn ? "localBuild" : "prebuilt",
    buildMetadata: metadata(addon, backend),
    extension: connectExtension(loaded, addon),
  };
}

/** The package's own description with the backend in it: where the release comes from is the same. */
function metadata(addon: string, backend: Backend): unknown {
  const text = readFileSync(join(dirname(addon), "_nlcBuildMetadata.json"), "utf8");
  const { buildOptions } = JSON.parse(text) as { buildOptions: object };
  return isGpu(backend) ? { buildOptions: { ...buildOptions, gpu: backend } } : { buildOptions };
}
