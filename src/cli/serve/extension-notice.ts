/** Printed at the start where the engine's extension could be built and is not: by the npm package, for instance. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Config } from "../../config.js";
import { extensionName } from "../../engines/llama/extension/extension-file.js";

/** Null where `file` is in use, it is switched off, or cannot be built on this machine. */
export function extensionNotice(
  { extension }: Pick<Config["engine"], "extension">,
  file: string | undefined,
  path = process.env.PATH ?? "",
): string | null {
  const canBeBuilt = extensionName() !== null && extension === "on" && hasCompiler(path);
  if (file !== undefined || !canBeBuilt) return null;
  return "Replies come slower without the engine's extension. To build it in seconds: sotto engine build extension, then restart.";
}

const hasCompiler = (path: string): boolean =>
  path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, "cc")));
