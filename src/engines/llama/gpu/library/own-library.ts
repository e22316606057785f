/**
 * GPU libraries that belong to this machine rather than to the installed packages: built here for its card and its
 * driver (`build-library.ts`), or downloaded (`install-library.ts`). Each is a folder in the data directory, so that reinstalling the packages leaves it
 * alone. It holds one library, which the CPU's binding loads beside its own, and a description. A library is made for
 * one version of the binding: for any other it counts as missing.
 */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { readJsonFile, writeJsonFile } from "../../../../adapters/json-file.js";
import { makeFolder } from "../../../../adapters/make-folder.js";
import { bindingVersion, libraryFile } from "../../binding-package.js";
import { gpuBackends, type GpuBackend } from "../../backends.js";

const descriptionSchema = z.object({
  backend: z.enum(gpuBackends),
  /** The version of the binding that it was made for. */
  binding: z.string(),
  from: z.enum(["built", "installed"]),
  /** For people: what it was made for. */
  made: z.string().max(200),
  at: z.iso.datetime(),
});
export type LibraryDescription = z.infer<typeof descriptionSchema>;

export interface OwnLibrary extends LibraryDescription {
  folder: string;
  file: string;
}

const descriptionFile = "library.json";

export const librariesFolder = (dataDir: string): string => resolve(dataDir, "engine");
const folderOf = (dataDir: string, backend: GpuBackend): string => join(librariesFolder(dataDir), backend);

/** Null where there is none for the installed version of the binding. */
export function ownLibrary(dataDir: string, backend: GpuBackend): OwnLibrary | null {
  const found = anyLibrary(dataDir, backend);
  return found !== null && found.binding === bindingVersion() ? found : null;
}

/** Also one that was made for another version of the binding. */
export function anyLibrary(dataDir: string, backend: GpuBackend): OwnLibrary | null {
  const folder = folderOf(dataDir, backend);
  const file = join(folder, libraryFile(backend));
  const description = readJsonFile(descriptionSchema, join(folder, descriptionFile));
  return existsSync(file) && description?.backend === backend ? { ...description, folder, file } : null;
}

/** Works in a folder that is empty at first and removed at the end. */
export async function inWorkFolder<T>(
  dataDir: string,
  name: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(librariesFolder(dataDir), name);
  try {
    rmSync(folder, { recursive: true, force: true });
    makeFolder(folder);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a library into the place of the one before; nothing changes when that fails. */
export function keepLibrary(
  dataDir: string,
  description: Omit<LibraryDescription, "binding">,
  file: string,
): OwnLibrary {
  const { backend } = description;
  const folder = folderOf(dataDir, backend);
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  makeFolder(unfinished);
  try {
    copyFileSync(file, join(unfinished, libraryFile(backend)));
    const whole: LibraryDescription = { ...description, binding: bindingVersion() };
    writeJsonFile(join(unfinished, descriptionFile), whole);
    // A process that has the old one loaded keeps it: its file stays until it is closed.
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return { ...whole, folder, file: join(folder, libraryFile(backend)) };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** False when there was none. */
export function removeLibrary(dataDir: string, backend: GpuBackend): boolean {
  const folder = folderOf(dataDir, backend);
  if (!existsSync(folder)) return false;
  rmSync(folder, { recursive: true, force: true });
  return true;
}
