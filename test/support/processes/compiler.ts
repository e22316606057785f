/** The C compiler that the engine's extension is built with (src/engines/llama/extension). */
import { spawnSync } from "node:child_process";

/** For `describe.skipIf`. */
export const noCompiler = process.platform !== "linux" || spawnSync("cc", ["--version"]).status !== 0;
