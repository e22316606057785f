import { WeightsError } from "../weights-error.js";

/** The same URL will never serve the file: no retry, and the partial file is removed. */
export class FinalDownloadError extends WeightsError {}

/** The error for a response with this status to a request for `what`. */
export function statusError(status: number, what: string): FinalDownloadError {
  if (status === 404) return new FinalDownloadError(`There is no ${what} (404). Check the spelling.`);
  if (status === 401 || status === 403) {
    return new FinalDownloadError(
      `${what} is private or gated (${status}): accept its licence on its page and set SOTTO_HF_TOKEN to a token that may read it. An address with a signature may have expired: get a new one.`,
    );
  }
  return new FinalDownloadError(
    `${what} cannot be downloaded: the server answered ${status}. Check the address, or try another source.`,
  );
}

/** Worth a retry. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;
