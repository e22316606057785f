/** Compiles the engine's extension, in a few seconds. */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../adapters/make-folder.js";
import { runTool } from "../gpu/library/run-tool.js";
import { compilerFlags, extensionName, namePrefix, sourceFiles } from "./extension-file.js";

const limitMs = 60_000;

/**
 * Returns the file, which is in `folder`; one that was built from the same source is kept, and others go. Null where
 * the engine has no extension. Rejects with a `ToolError`; then nothing has changed.
 */
export async function compileExtension(folder: string, run = runTool): Promise<string | null> {
  const name = extensionName();
  if (name === null) return null;
  const file = join(folder, name);
  if (existsSync(file)) return file;
  makeFolder(folder);
  const unfinished = `${file}.${process.pid}.new`;
  try {
    await run("cc", {
      args: [
        ...compilerFlags,
        "-o",
        unfinished,
        ...sourceFiles().filter((path) => path.endsWith(".c")),
        "-lm",
      ],
      limitMs,
      missing: "Install a C compiler, for example gcc.",
    });
    // A process that has one of the others loaded keeps it.
    for (const other of readdirSync(folder))
      if (other.startsWith(namePrefix) && other.endsWith(".node")) rmSync(join(folder, other));
    renameSync(unfinished, file);
    return file;
  } finally {
    rmSync(unfinished, { force: true });
  }
}
