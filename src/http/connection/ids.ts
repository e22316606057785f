/** Ids of requests and completions: random, so that they reveal nothing and cannot be guessed. */
import { randomBase62 } from "../../core/keys/key-format.js";

const length = 28;

export const newRequestId = (): string => `req_${nextPart()}`;
export const newCompletionId = (prefix: string): string => prefix + nextPart();

const partsAtOnce = 100;
let text = "";
let used = 0;

/** Made many at a time, as a call for each costs more than the id. No part is used twice. */
function nextPart(): string {
  if (used === text.length) [text, used] = [randomBase62(partsAtOnce * length), 0];
  used += length;
  return text.slice(used - length, used);
}
