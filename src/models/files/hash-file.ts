import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** SHA-256 of a file in hexadecimal, read in pieces. Rejects with the signal's reason. */
export async function hashFile(
  path: string,
  { onProgress, signal }: { onProgress?: (doneBytes: number) => void; signal?: AbortSignal } = {},
): Promise<string> {
  const hash = createHash("sha256");
  let doneBytes = 0;
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1024 * 1024 });
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    hash.update(chunk);
    doneBytes += chunk.length;
    onProgress?.(doneBytes);
  }
  return hash.digest("hex");
}
