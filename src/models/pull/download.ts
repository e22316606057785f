/**
 * Downloads one GGUF file, resumably: bytes go to `name.part`, with the file's ETag in a note beside it. The next try
 * requests the rest, on the condition that the file is still the same (`If-Range`); a server that does not support
 * that sends everything, and it starts over. Only a file of the right size, hash and magic number gets the final name.
 * The note has a hash of the URL, which may be signed; note and bytes are removed when the URL will never serve the
 * file.
 *
 * Network errors are retried with exponential backoff; as long as bytes arrive, without limit.
 */
import { createHash } from "node:crypto";
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { parseStored } from "../../adapters/json-file.js";
import { makeFolder } from "../../adapters/make-folder.js";
import { FinalDownloadError, statusError, type Answer, type DownloadClient } from "./download-request.js";
import { ggufMagic } from "../gguf/gguf.js";
import { hashFile } from "../files/hash-file.js";
import type { RemoteFile } from "./hugging-face.js";
import { freeBytes as freeBytesIn, fullDisk, isFullDisk } from "../files/disk-space.js";
import { formatBytes } from "../sizes.js";
import { syncToDisk } from "../files/temporary-file.js";
import { noteVerified } from "../files/verified-file.js";
import { WeightsError } from "../weights-error.js";

export interface DownloadOptions {
  client: DownloadClient;
  signal: AbortSignal;
  freeBytes?: typeof freeBytesIn | undefined;
  onProgress?: ((doneBytes: number, totalBytes: number | null) => void) | undefined;
  /** Called before the file is read again to check it. */
  onChecking?: (() => void) | undefined;
  /** The first pause before another try. */
  retryMs?: number | undefined;
}

const noteSchema = z.object({ urlSha256: z.string(), etag: z.string() });
const maxFutileTries = 5;
const maxPauseMs = 30_000;

/** Resolves with the file's SHA-256. Rejects with `WeightsError`, or the signal's reason. */
export async function download(file: RemoteFile, target: string, options: DownloadOptions): Promise<string> {
  const part = `${target}.part`;
  makeFolder(dirname(target));
  const expected = await fetchAll(file, part, options);
  options.onChecking?.();
  const sha256 = await hashFile(part, { signal: options.signal });
  if (expected !== null && sha256 !== expected) {
    await removePart(part);
    throw new FinalDownloadError(
      `${file.name} arrived with the SHA-256 ${sha256} instead of ${expected}. It was removed; pull it again.`,
    );
  }
  await rename(part, target);
  await rm(noteOf(part), { force: true });
  await syncToDisk(dirname(target));
  await noteVerified(target, { sha256 });
  return sha256;
}

/** Resolves with the hash that the file should have, if anybody said. */
async function fetchAll(file: RemoteFile, part: string, options: DownloadOptions): Promise<string | null> {
  const { signal, retryMs = 1000 } = options;
  for (let futileTries = 0; ;) {
    const before = await sizeOf(part);
    try {
      return await fetchRest(file, part, options);
    } catch (error) {
      signal.throwIfAborted();
      if (isFullDisk(error)) throw fullDisk(part);
      if (error instanceof WeightsError) {
        if (error instanceof FinalDownloadError || (await sizeOf(part)) === 0) await removePart(part);
        throw error;
      }
      futileTries = (await sizeOf(part)) > before ? 1 : futileTries + 1;
      if (futileTries >= maxFutileTries) throw unreachable(file, error);
    }
    await sleep(Math.min(retryMs * 2 ** (futileTries - 1), maxPauseMs), undefined, { signal }).catch(() =>
      signal.throwIfAborted(),
    );
  }
}

async function fetchRest(file: RemoteFile, part: string, options: DownloadOptions): Promise<string | null> {
  const { client, signal, onProgress, freeBytes = freeBytesIn } = options;
  const have = await sizeOf(part);
  const etag = have > 0 ? await readEtag(part, file.url) : null;
  const resume = etag === null ? {} : { range: `bytes=${have}-`, "if-range": etag };
  const answer = await client.get(file.url, resume, signal);
  try {
    const { status } = answer;
    if (status === 416) {
      // Either it was complete already, or what is here is of no use.
      if (totalOf(answer) === have && have > 0) return file.sha256 ?? answer.linkedSha256;
      await removePart(part);
      throw new Error("the server cannot continue");
    }
    // Worth a retry.
    if (status === 408 || status === 429 || status >= 500) throw new Error(`the server answered ${status}`);
    const from = status === 206 ? startOf(answer) : 0;
    if ((status !== 200 && status !== 206) || (from !== 0 && from !== have)) {
      throw statusError(status, file.name);
    }
    const total = totalOf(answer) ?? file.bytes;
    if (file.bytes !== null && total !== file.bytes) {
      throw new FinalDownloadError(
        `${file.name} has ${total ?? 0} bytes on the server instead of ${file.bytes}. Try again later, or another source.`,
      );
    }
    await requireSpace(dirname(part), (total ?? 0) - from, from === 0 ? have : 0, freeBytes);
    await noteEtag(part, file.url, answer);
    let done = from;
    onProgress?.(done, total);
    // Chunk by chunk, so that what has arrived is in the file when the connection breaks.
    const output = await open(part, from === 0 ? "w" : "a", 0o600);
    try {
      for await (const chunk of checkMagic(answer.body, from, file.name)) {
        await output.writeFile(chunk);
        done += chunk.length;
        onProgress?.(done, total);
      }
      await output.sync();
    } finally {
      await output.close();
    }
    if (total !== null && done !== total)
      throw new Error(`the connection ended after ${done} of ${total} bytes`);
    return file.sha256 ?? answer.linkedSha256;
  } finally {
    answer.body.on("error", () => undefined).destroy();
  }
}

/** Looks at the first bytes before anything is written: an error page is not worth a gigabyte. */
async function* checkMagic(
  chunks: AsyncIterable<Buffer>,
  from: number,
  name: string,
): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  let checked = from !== 0;
  for await (const chunk of chunks) {
    if (checked) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < ggufMagic.length) continue;
    if (!start.subarray(0, ggufMagic.length).equals(ggufMagic)) throw notGguf(name);
    checked = true;
    yield start;
  }
  if (!checked) throw notGguf(name);
}

async function requireSpace(
  folder: string,
  bytes: number,
  reusable: number,
  freeBytes: typeof freeBytesIn,
): Promise<void> {
  const free = (await freeBytes(folder)) + reusable;
  if (free >= bytes) return;
  throw new WeightsError(
    `${formatBytes(bytes)} are still to come and ${formatBytes(free)} are free in ${folder}. Make room, or save it on another disk and choose it by its path.`,
  );
}

async function noteEtag(part: string, url: URL, answer: Answer): Promise<void> {
  const etag = answer.header("etag");
  // A weak tag says that two files look alike, not that their bytes are the same.
  if (etag === undefined || etag.startsWith("W/")) await rm(noteOf(part), { force: true });
  else await writeFile(noteOf(part), JSON.stringify({ urlSha256: hashOf(url), etag }), { mode: 0o600 });
}

async function readEtag(part: string, url: URL): Promise<string | null> {
  const note = parseStored(noteSchema, await readFile(noteOf(part), "utf8").catch(() => null));
  return note?.urlSha256 === hashOf(url) ? note.etag : null;
}

const hashOf = (url: URL): string => createHash("sha256").update(url.href).digest("hex");

export const arrivedBytes = (target: string): Promise<number> => sizeOf(`${target}.part`);

/** Removes what has arrived of a file that is not wanted any more. */
export const removePartial = (target: string): Promise<void> => removePart(`${target}.part`);

async function removePart(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(noteOf(part), { force: true });
}

const noteOf = (part: string): string => `${part}.json`;
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
const startOf = (answer: Answer): number =>
  Number(/^bytes (\d+)-/.exec(answer.header("content-range") ?? "")?.[1] ?? NaN);

function totalOf(answer: Answer): number | null {
  const inRange = /\/(\d+)$/.exec(answer.header("content-range") ?? "")?.[1];
  const whole = answer.status === 200 ? answer.header("content-length") : undefined;
  const text = inRange ?? whole;
  return text === undefined ? null : Number(text);
}

const notGguf = (name: string): WeightsError =>
  new FinalDownloadError(
    `${name} is not a GGUF file: what the server sends does not begin with 'GGUF'. Check the address.`,
  );

const unreachable = (file: RemoteFile, error: unknown): WeightsError =>
  new WeightsError(
    `${file.name} could not be downloaded from ${file.url.host}: ${error instanceof Error ? error.message : "unknown error"}. What has arrived is kept; the same command continues.`,
  );
