/**
 * The text of an API key: `sk-sotto-`, 43 base62 characters of randomness (256 bits), 6 base62 characters
 * of CRC32 over all that precedes them. The prefix lets secret scanners find leaked keys; the checksum lets
 * a typo or a guess be refused without asking the database. The CRC is no secret and protects nothing: what
 * makes a key hard to guess is its randomness.
 */
import { hash, randomBytes } from "node:crypto";

const prefix = "sk-sotto-";
const randomLength = 43;
const checksumLength = 6;
const keyPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

type RandomBytes = (count: number) => Uint8Array;

/** A new key. Show it once and keep only `keyHash` of it. */
export function mintKey(random: RandomBytes = randomBytes): string {
  const body = prefix + randomBase62(randomLength, random);
  return body + checksum(body);
}

/**
 * What is stored and looked up in place of the key. Null when the text cannot be a key: its prefix, length,
 * alphabet or checksum is wrong.
 */
export function keyHash(text: string): Uint8Array | null {
  if (!keyPattern.test(text)) return null;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return null;
  return hash("sha256", text, "buffer");
}

/** The same hash as a string, without a look at the text: to find a key that was checked before. */
export const keyName = (text: string): string => hash("sha256", text, "base64url");

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Every character equally likely: bytes past the last whole multiple of 62 are discarded, not wrapped. */
export function randomBase62(length: number, random: RandomBytes = randomBytes): string {
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < limit) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(Buffer.from(text, "latin1"));
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

// `zlib.crc32` exists only from Node 22 on.
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (crcTable[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}
