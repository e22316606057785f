/** Names for requests and completions: random, so that they tell nothing and can be guessed by nobody. */
import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const length = 28;
/** Bytes from here on would make some characters likelier than others. */
const fairBytes = 256 - (256 % alphabet.length);

export const newRequestId = (): string => `req_${randomBase62()}`;
export const newCompletionId = (): string => `chatcmpl-${randomBase62()}`;

function randomBase62(): string {
  let id = "";
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fairBytes) id += alphabet.charAt(byte % alphabet.length);
    }
  }
  return id.slice(0, length);
}
