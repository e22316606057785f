import { WeightsError } from "../weights-error.js";

/** What an answer's status means for whoever asked for `what`. */
export function statusError(status: number, what: string): WeightsError {
  if (status === 404) return new WeightsError(`There is no ${what} (404). Check the spelling.`);
  if (status === 401 || status === 403) {
    return new WeightsError(
      `${what} is private or gated (${status}): accept its licence on its page and set SOTTO_HF_TOKEN to a token that may read it.`,
    );
  }
  return new WeightsError(`${what} cannot be downloaded now: the server answered ${status}.`);
}

/** Worth another try: the server, or the way to it, had a bad moment. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;
