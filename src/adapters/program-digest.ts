/**
 * What is installed, as one hash: SHA-256 over the lines `<sha256>  <path>` of the program's files, sorted by path, as
 * `sha256sum` writes them. Anyone with the same build gets the same (docs/verify.md). One file at a time, each a few
 * milliseconds at most.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFile, runsFromSources } from "./program-files.js";

export interface InstalledProgram {
  /** Null where it runs from its sources, which have no build. */
  digest: string | null;
  commit: string | null;
}

/** Written by scripts/build.js, where it knew. */
const commitFile = "dist/commit.txt";
/** Not part of it: a stamp of the build, and maps of the sources for error messages. */
const isListed = (path: string): boolean => path !== "dist/.built" && !path.endsWith(".map");

export async function installedProgram(): Promise<InstalledProgram> {
  if (runsFromSources) return { digest: null, commit: null };
  const commit = await readFile(packageFile(commitFile), "utf8").catch(() => "");
  return { digest: await digestOf(fileURLToPath(packageFile(""))), commit: commit.trim() || null };
}

/** Of the folders `bin` and `dist` below `root`. */
async function digestOf(root: string): Promise<string> {
  const lines: string[] = [];
  for (const path of await programFiles(root)) {
    const hash = createHash("sha256")
      .update(await readFile(`${root}/${path}`))
      .digest("hex");
    lines.push(`${hash}  ${path}\n`);
  }
  return createHash("sha256").update(lines.join("")).digest("hex");
}

async function programFiles(root: string): Promise<string[]> {
  const listed = await Promise.all(
    ["bin", "dist"].map((folder) =>
      // An image has no bin.
      readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []),
    ),
  );
  const files = listed.flat().filter((entry) => entry.isFile());
  // By bytes, as `LC_ALL=C sort` does.
  return files
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll("\\", "/"))
    .filter(isListed)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
