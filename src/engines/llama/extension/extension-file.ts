/**
 * Where the engine's extension is: native code of our own beside the binding's (`native`), built by `npm run build` or
 * `sotto engine build extension` where there is a C compiler. The name has what it was built for and from, so one for
 * another version of the binding, or of an earlier version of Sotto, is never loaded.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFile } from "../../../adapters/program-files.js";
import type { Config } from "../../../config.js";
import { bindingVersion, platformName } from "../binding-package.js";
import { librariesFolder } from "../gpu/library/own-library.js";

export const namePrefix = "engine-extension-";
export const compilerFlags = ["-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden"];

/** Null where the engine has none: it relies on how Linux binds symbols. */
export const extensionName = (version = bindingVersion()): string | null =>
  /^linux-(x64|arm64)$/.test(platformName()) && version !== "none"
    ? `${namePrefix}${platformName()}-${version}-${sourceHash()}.node`
    : null;

/** Undefined where it is switched off, or was not built for this machine. */
export function extensionFile({ service, engine }: Pick<Config, "service" | "engine">): string | undefined {
  const name = extensionName();
  if (name === null || engine.extension === "off") return undefined;
  const folders = [librariesFolder(service.dataDir), fileURLToPath(packageFile("dist"))];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Sources and headers, in the order of their names. */
export function sourceFiles(): string[] {
  const folder = fileURLToPath(packageFile("native"));
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.map((name) => join(folder, name));
}

let hash: string | undefined;
function sourceHash(): string {
  if (hash === undefined) {
    const of = createHash("sha256").update(compilerFlags.join(" "));
    for (const file of sourceFiles()) of.update(readFileSync(file));
    hash = of.digest("hex").slice(0, 8);
  }
  return hash;
}
