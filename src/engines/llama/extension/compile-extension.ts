/** Compiles the engine's extension, in a few seconds. */
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../../../adapters/make-folder.js";
import { packageFile } from "../../../adapters/program-files.js";
import { runTool } from "../gpu/library/run-tool.js";
import { extensionName } from "./extension-file.js";

const limitMs = 60_000;
const compilerFlags = ["-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden"];

/**
 * Returns the file, which is in `folder`; one that is newer than the source is kept. Null where the engine has no
 * extension. Rejects with a `ToolError`; then nothing has changed.
 */
export async function compileExtension(folder: string, run = runTool): Promise<string | null> {
  const name = extensionName();
  if (name === null) return null;
  const file = join(folder, name);
  const source = fileURLToPath(packageFile("native"));
  const parts = readdirSync(source).map((part) => join(source, part));
  if (parts.every((part) => modified(file) > modified(part))) return file;
  makeFolder(folder);
  // A process that has the old one loaded keeps it.
  const unfinished = `${file}.${process.pid}.new`;
  try {
    await run("cc", {
      args: [...compilerFlags, "-o", unfinished, ...parts.filter((part) => part.endsWith(".c")), "-lm"],
      limitMs,
      missing: "Install a C compiler, for example gcc.",
    });
    renameSync(unfinished, file);
    return file;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
