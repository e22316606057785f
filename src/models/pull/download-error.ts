import { WeightsError } from "../weights-error.js";

/** The same address will not give the file: another try is of no use, and nothing of it is kept. */
export class FinalDownloadError extends WeightsError {}

/** What an answer's status means for whoever asked for `what`. */
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

/** Worth another try: the server, or the network between, failed for a moment. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;
