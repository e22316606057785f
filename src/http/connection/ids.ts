/** Names for requests and completions: random, so that they tell nothing and can be guessed by nobody. */
import { randomFillSync } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const length = 28;
/** Bytes from here on would make some characters likelier than others. */
const fairBytes = 256 - (256 % alphabet.length);

export const newRequestId = (): string => `req_${randomBase62()}`;
export const newCompletionId = (): string => `chatcmpl-${randomBase62()}`;

/** Fetched many at a time: a call for each name costs more than the name. No byte is used twice. */
const fetched = Buffer.alloc(4_096);
let used = fetched.length;

function randomByte(): number {
  if (used === fetched.length) {
    randomFillSync(fetched);
    used = 0;
  }
  return fetched.readUInt8(used++);
}

function randomBase62(): string {
  let id = "";
  while (id.length < length) {
    const byte = randomByte();
    if (byte < fairBytes) id += alphabet.charAt(byte % alphabet.length);
  }
  return id;
}
