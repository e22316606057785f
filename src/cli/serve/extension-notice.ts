/** Printed at the start where the engine's extension could be built and was not, as after installing from npm. */
import type { Config } from "../../config.js";
import { extensionName } from "../../engines/llama/extension/extension-file.js";
import { hasProgram, type Environment } from "../environment.js";

/** Null where `file` is in use, it is switched off, or cannot be built on this machine. */
export function extensionNotice(
  { extension }: Pick<Config["engine"], "extension">,
  file: string | undefined,
  env: Environment,
): string | null {
  const canBeBuilt = extensionName() !== null && extension === "on" && hasProgram(env, "cc");
  if (file !== undefined || !canBeBuilt) return null;
  return "Replies are slower without the engine's extension. To build it, in seconds: sotto engine build extension, then restart.";
}
