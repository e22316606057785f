/** Writes and removes the files of a service. */
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.js";
import { UserError } from "../../core/user-error.js";
import type { PlannedFile, ServicePlan } from "./service-plan.js";

/** Returns the paths that were written. With `root` they are below that folder. */
export function writePlanned({ files, folders }: ServicePlan, root = "/"): string[] {
  return translated(() => {
    for (const folder of folders) makeFolder(join(root, folder));
    return files.flatMap((file) => (write(file, join(root, file.path)) ? [join(root, file.path)] : []));
  });
}

function write({ text, mode, isSettings }: PlannedFile, path: string): boolean {
  if (isSettings === true && existsSync(path)) return false;
  makeFolder(dirname(path));
  // Renamed into place: a unit is never read half written, and settings are never readable for others.
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
  return true;
}

/** Returns the paths that were there. Settings and data go with `purge` only. */
export function removePlanned({ files, dataDir }: ServicePlan, purge: boolean, root = "/"): string[] {
  return translated(() => {
    const paths = files.filter(({ isSettings }) => purge || isSettings !== true).map(({ path }) => path);
    const there = [...paths, ...(purge ? [dataDir] : [])]
      .map((path) => join(root, path))
      .filter((path) => existsSync(path));
    for (const path of there) rmSync(path, { recursive: true, force: true });
    return there;
  });
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM")))
      throw error;
    throw new UserError(
      `${error.message}. Run it as root for the machine's service, or with --user for your own.`,
    );
  }
}
