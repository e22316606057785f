/** Downloads weights: finds the files, checks that they fit, downloads them, and checks the result. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { arrivedBytes, download, type DownloadOptions } from "./download.js";
import { DownloadClient, FinalDownloadError, type DownloadSettings } from "./download-request.js";
import { freeBytes as readFreeBytes } from "../files/disk-space.js";
import { readWeightsFacts, type WeightsFacts } from "../gguf/gguf.js";
import { GgufError } from "../gguf/gguf-header.js";
import { hashFile } from "../files/hash-file.js";
import { findRemoteFiles, isWeightsName, type RemoteFile } from "./hugging-face.js";
import { parseReference } from "./reference.js";
import { formatBytes } from "../sizes.js";
import { removeVerified } from "../files/verified-file.js";
import { WeightsError } from "../weights-error.js";

export interface PullOptions extends DownloadSettings, Omit<DownloadOptions, "client"> {
  folder: string;
  /** The expected hash, where the server does not report one; not for split models. */
  sha256?: string | undefined;
  onFile?: (name: string, number: number, count: number) => void;
  /** Called with the names that will be written, before they are. May throw. */
  claim?: (names: readonly string[]) => void;
}

export interface Pulled {
  /** Of the first file, which names the whole. */
  path: string;
  facts: WeightsFacts;
  wasHere: boolean;
}

/** Rejects with `WeightsError`, or the signal's reason. */
export async function pullWeights(text: string, options: PullOptions): Promise<Pulled> {
  const client = new DownloadClient(options);
  try {
    const files = await findFiles(client, text, options);
    options.claim?.(files.map(({ name }) => name));
    const missing: RemoteFile[] = [];
    for (const file of files) if (!(await isHere(file, options))) missing.push(file);
    await requireSpaceForAll(missing, options);
    for (const [index, file] of missing.entries()) {
      options.onFile?.(file.name, index + 1, missing.length);
      await download(file, join(options.folder, file.name), { ...options, client });
    }
    const path = join(options.folder, files[0]?.name ?? "");
    return { path, facts: await factsOf(path, missing), wasHere: missing.length === 0 };
  } finally {
    await client.close();
  }
}

async function findFiles(client: DownloadClient, text: string, options: PullOptions): Promise<RemoteFile[]> {
  const reference = parseReference(text);
  if (reference.type === "local") {
    throw new WeightsError(
      `'${text}' is neither in the catalogue (sotto models catalog) nor an address: write hf:owner/repo or https://…`,
    );
  }
  const files =
    reference.type === "hugging-face"
      ? await findRemoteFiles(client, reference, options.signal).catch((error: unknown) => {
          options.signal.throwIfAborted();
          throw error instanceof WeightsError ? error : unreachableHub(options.endpoint, error);
        })
      : splitAddresses(reference.url).map((url) => ({ url, name: fileName(url), bytes: null, sha256: null }));
  const { sha256 } = options;
  if (sha256 === undefined) return files;
  if (files.length > 1) throw new WeightsError("--sha256 is for one file, and this model is split.");
  return files.map((file) => ({ ...file, sha256 }));
}

/** The parts of a split model are side by side on servers too. */
function splitAddresses(url: URL): URL[] {
  const [, count] = /-\d{5}-of-(\d{5})\.gguf$/.exec(url.pathname) ?? [];
  if (count === undefined || Number(count) > 1000) return [url];
  return Array.from({ length: Number(count) }, (_, index) => {
    const part = new URL(url);
    part.pathname = url.pathname.replace(/-\d{5}-of-/, `-${String(index + 1).padStart(5, "0")}-of-`);
    return part;
  });
}

function fileName(url: URL): string {
  const name = basename(decodedPath(url));
  if (isWeightsName(name)) return name;
  throw new WeightsError(`${url.origin}${url.pathname} does not name a .gguf file.`);
}

/** Empty for one that is not encoded as addresses are. */
function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return "";
  }
}

const unreachableHub = (endpoint: string, error: unknown): WeightsError =>
  new WeightsError(
    `${new URL(endpoint).host} cannot be reached: ${error instanceof Error ? error.message : "unknown error"}. Check the network and SOTTO_HF_ENDPOINT.`,
  );

/** A different file of the same name is not overwritten: it may be in use. */
async function isHere(
  { name, bytes, sha256 }: RemoteFile,
  { folder, signal }: Pick<PullOptions, "folder" | "signal">,
): Promise<boolean> {
  const path = join(folder, name);
  const found = await stat(path).catch(() => null);
  if (found === null) return false;
  const same =
    (bytes === null || found.size === bytes) &&
    (sha256 === null || (await hashFile(path, { signal })) === sha256);
  if (same) return true;
  throw new WeightsError(`${path} exists and is another file. Move it elsewhere, then pull again.`);
}

async function requireSpaceForAll(files: readonly RemoteFile[], options: PullOptions): Promise<void> {
  const { folder, freeBytes = readFreeBytes } = options;
  let needed = 0;
  for (const { name, bytes } of files) {
    needed += Math.max(0, (bytes ?? 0) - (await arrivedBytes(join(folder, name))));
  }
  const free = await freeBytes(folder);
  if (free >= needed) return;
  throw new WeightsError(
    `This needs ${formatBytes(needed)} in ${folder}, where ${formatBytes(free)} are free. Make room, or save it on another disk and choose it by its path.`,
  );
}

/** Of an invalid file nothing stays that this pull has downloaded. */
async function factsOf(path: string, downloaded: readonly RemoteFile[]): Promise<WeightsFacts> {
  try {
    return await readWeightsFacts(path);
  } catch (error) {
    if (!(error instanceof GgufError)) throw error;
    if (downloaded.length === 0) throw new WeightsError(`${path} ${error.message}.`);
    for (const { name } of downloaded) await removeVerified(join(dirname(path), name));
    throw new FinalDownloadError(`${path} ${error.message}. It was removed; try another source.`);
  }
}
