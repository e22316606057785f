/**
 * The starter weights without the packages that carry them, which belong to somebody else: `mirrorStarters` writes them
 * as plain files for any web server, and `starterMirror` reads them from there. Their hashes are known, so the server
 * need not be trusted. An interrupted download continues at the next start.
 */
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../adapters/make-folder.js";
import { ensureEmbeddingStarterIn } from "./embedding-starter/embedding-starter.js";
import { hashFile } from "./files/hash-file.js";
import { writeAtomically } from "./files/temporary-file.js";
import { removeNote } from "./files/verified-file.js";
import { download } from "./pull/download.js";
import { DownloadClient } from "./pull/download-request.js";
import { ensureJoined } from "./starter/starter.js";
import type { FetchStarter, StarterFile, WeightsProgress } from "./starter/starter-file.js";
import { WeightsError } from "./weights-error.js";

/** Undefined without a source. */
export function starterMirror(source: string | undefined): FetchStarter | undefined {
  if (source === undefined) return undefined;
  const base = source.endsWith("/") ? source : `${source}/`;
  return async (file, target, onProgress) => {
    const url = new URL(file.fileName, base);
    if (url.protocol === "file:") return copyVerified(fileURLToPath(url), target, file.sha256);
    const client = new DownloadClient({ endpoint: url.origin });
    try {
      const { signal } = new AbortController();
      const remote = { url, name: file.fileName, bytes: file.bytes, sha256: file.sha256 };
      await download(remote, target, {
        client,
        signal,
        onProgress: (doneBytes) => onProgress(doneBytes, file.bytes),
      });
    } finally {
      await client.close();
    }
  };
}

async function copyVerified(from: string, target: string, sha256: string): Promise<void> {
  await writeAtomically(target, async (temporary) => {
    const output = createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(createReadStream(from), output).catch((error: unknown) => {
      throw new WeightsError(
        `${from} cannot be read: ${error instanceof Error ? error.message : "unknown error"}`,
      );
    });
    if ((await hashFile(temporary)) !== sha256)
      throw new WeightsError(`${from} does not match its SHA-256. Mirror it again: sotto models mirror`);
  });
}

/** Writes both starters to a folder, with `SHA256SUMS`, readable for any user. Rejects with `WeightsError`. */
export async function mirrorStarters(
  folder: string,
  onProgress: WeightsProgress,
): Promise<(Omit<StarterFile, "fileName"> & { path: string })[]> {
  if (!existsSync(folder)) {
    makeFolder(folder);
    await chmod(folder, 0o755);
  }
  const written = [await ensureJoined(folder, { onProgress }), await ensureEmbeddingStarterIn(folder)];
  for (const { path } of written) {
    await removeNote(path);
    await chmod(path, 0o644);
  }
  const sums = written.map(({ fileName, sha256 }) => `${sha256}  ${fileName}\n`).join("");
  await rm(join(folder, "SHA256SUMS"), { force: true });
  await writeFile(join(folder, "SHA256SUMS"), sums, { mode: 0o644 });
  return written.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
}
