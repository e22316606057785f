/** What downloads have in common; each has its own policy for addresses. */

/** Throws `DownloadError`. */
export type Download = (address: string, maxBytes: number, signal: AbortSignal) => Promise<Buffer>;

/** Completes "cannot be fetched: …", without its full stop. */
export class DownloadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DownloadError";
  }
}

/** All bytes of a response, as long as they are not too many. */
export async function allOf(
  body: AsyncIterable<unknown> | Iterable<unknown>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body.
  for await (const part of body) {
    if (!(part instanceof Uint8Array)) continue;
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}
