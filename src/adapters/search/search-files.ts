/**
 * Searches files for marks, also in those compressed with gzip. Bounded: the largest files are read up to a limit, and
 * so is the sum of all; what was cut or could not be read is reported.
 */
import { createReadStream, lstatSync, readdirSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import type { Readable } from "node:stream";
import type { Hit, MarkSearch } from "../../core/proof/marks.js";

export interface FileSearch {
  hits: { path: string; hit: Hit }[];
  files: number;
  bytes: number;
  /** What was skipped or only partly searched, and why. */
  gaps: string[];
}

export interface FileSearchOptions {
  search: MarkSearch;
  signal: AbortSignal;
  /** Whether a file is left out. It is not a gap. */
  skip?: (path: string, file: Stats) => boolean;
  limits?: Partial<typeof usualLimits>;
}

const usualLimits = { fileBytes: 4 * 2 ** 30, totalBytes: 32 * 2 ** 30, files: 200_000, gaps: 20 };
const pieceBytes = 1024 * 1024;
const gzipMagic = Buffer.from([0x1f, 0x8b]);

/** `path` is a file, or a folder with all that is below it. Links are not followed. */
export async function searchFiles(path: string, options: FileSearchOptions): Promise<FileSearch> {
  const limits = { ...usualLimits, ...options.limits };
  const found: FileSearch = { hits: [], files: 0, bytes: 0, gaps: [] };
  const gap = (text: string) => {
    if (found.gaps.length < limits.gaps) found.gaps.push(text);
    else if (found.gaps.length === limits.gaps) found.gaps.push("and more");
  };
  for (const file of filesBelow(path, gap)) {
    options.signal.throwIfAborted();
    if (options.skip?.(file.path, file.stats) === true) continue;
    if (found.files >= limits.files || found.bytes >= limits.totalBytes) {
      gap(`only ${found.files} files of ${path} were read`);
      break;
    }
    found.files += 1;
    try {
      await searchFile(file.path, options, limits.fileBytes, found, gap);
    } catch (error) {
      options.signal.throwIfAborted();
      // Programs remove some of their files while they run.
      if (codeOf(error) !== "ENOENT") gap(`${file.path} (${codeOf(error)})`);
    }
  }
  return found;
}

async function searchFile(
  path: string,
  { search, signal }: FileSearchOptions,
  limitBytes: number,
  found: FileSearch,
  gap: (text: string) => void,
): Promise<void> {
  const note = (hits: readonly Hit[]) => {
    for (const hit of hits) found.hits.push({ path, hit });
  };
  const read = async (pieces: Readable): Promise<void> => {
    let bytes = 0;
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      note(search.next(piece));
      bytes += piece.length;
      if (bytes < limitBytes) continue;
      gap(`${path} after its first ${limitBytes} bytes`);
      break;
    }
    note(search.end());
    found.bytes += bytes;
  };
  const options = { highWaterMark: pieceBytes, signal };
  await read(createReadStream(path, options));
  if (!(await isGzip(path))) return;
  const source = createReadStream(path, options);
  const unpacked = createGunzip({ chunkSize: pieceBytes });
  source.on("error", (error) => unpacked.destroy(error));
  try {
    await read(source.pipe(unpacked));
  } finally {
    source.destroy();
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.equals(gzipMagic);
  } finally {
    await file.close();
  }
}

function* filesBelow(
  path: string,
  gap: (text: string) => void,
): Generator<{ path: string; stats: Stats }, void, undefined> {
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    try {
      const stats = lstatSync(next);
      if (stats.isFile()) yield { path: next, stats };
      else if (stats.isDirectory()) {
        const folder = next;
        waiting.push(...readdirSync(folder).map((name) => join(folder, name)));
      }
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || next === path) gap(`${next} (${codeOf(error)})`);
    }
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error";
