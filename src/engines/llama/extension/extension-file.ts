/**
 * Where the engine's extension is: native code of our own beside the binding's (native/engine-extension.c), built by
 * `npm run build` or `sotto engine build extension` where there is a C compiler. The name has what it was built for, so one
 * for another version of the binding is never loaded.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFile } from "../../../adapters/program-files.js";
import type { Config } from "../../../config.js";
import { bindingVersion, platformName } from "../binding-package.js";
import { librariesFolder } from "../gpu/library/own-library.js";

/** Null where the engine has none: it relies on how Linux binds symbols. */
export const extensionName = (version = bindingVersion()): string | null =>
  /^linux-(x64|arm64)$/.test(platformName()) && version !== "none"
    ? `engine-extension-${platformName()}-${version}.node`
    : null;

/** Undefined where it is switched off, or was not built for this machine. */
export function extensionFile({ service, engine }: Pick<Config, "service" | "engine">): string | undefined {
  const name = extensionName();
  if (name === null || engine.extension === "off") return undefined;
  const folders = [librariesFolder(service.dataDir), fileURLToPath(packageFile("dist"))];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
