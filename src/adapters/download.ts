/** Throws `DownloadError`. */
export type Download = (address: string, maxBytes: number, signal: AbortSignal) => Promise<Buffer>;

/** Completes "cannot be fetched: …", without its full stop. */
export class DownloadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DownloadError";
  }
}
