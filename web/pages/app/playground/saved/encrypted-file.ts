/**
 * A text in a file that only its passphrase opens, encrypted and decrypted in the browser (WebCrypto).
 *
 * The key is PBKDF2-HMAC-SHA-256 of the passphrase with 600,000 iterations and a random salt of 16 bytes; the text is
 * encrypted with AES-256-GCM under a random nonce of 12 bytes. The file is JSON that states all of this, with a
 * SHA-256 over it: that tells a damaged file from a wrong passphrase, and proves nothing; that the text was not
 * altered is proved by GCM.
 */
import { isObject } from "../../../../../src/protocol/read-json.js";

/** Of the text, and of the file: base64 adds a third. */
export const longestText = 4_000_000;
const largestFile = 6 * 1_024 * 1_024;

const usualIterations = 600_000;
/** A file cannot ask for more work than a few seconds of it. */
const mostIterations = 2_000_000;

export const shortestPassphrase = 12;

const format = "sotto-conversation-1";

/** A reason to be shown at a field. */
export class FileError extends Error {
  constructor(
    readonly field: "file" | "passphrase" | "repeated",
    message: string,
  ) {
    super(message);
  }
}

/** What a file holds, before it is decrypted. */
export interface Sealed {
  iterations: number;
  salt: Uint8Array<ArrayBuffer>;
  nonce: Uint8Array<ArrayBuffer>;
  data: Uint8Array<ArrayBuffer>;
}

/** Browsers offer encryption only to pages that nobody could have altered on their way. */
export const canEncrypt = (): boolean =>
  (globalThis as { isSecureContext?: boolean }).isSecureContext !== false && "subtle" in crypto;

export async function seal(text: string, passphrase: string, iterations = usualIterations): Promise<string> {
  const plain = new TextEncoder().encode(text);
  if (plain.length > longestText) {
    throw new FileError("file", "The conversation is longer than 4 MB: too large for a file.");
  }
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const key = await keyOf(passphrase, salt, iterations);
  const data = new Uint8Array(await crypto.subtle.encrypt(cipher(nonce), key, plain));
  const sealed = { iterations, salt, nonce, data };
  return JSON.stringify({
    format,
    key: "PBKDF2-HMAC-SHA-256",
    iterations,
    cipher: "AES-256-GCM",
    salt: toBase64(salt),
    nonce: toBase64(nonce),
    checksum: toBase64(await checksum(sealed)),
    data: toBase64(data),
  });
}

/** Throws a FileError unless it is a whole file of ours. */
export async function readSealed(file: Blob): Promise<Sealed> {
  if (file.size > largestFile)
    throw new FileError("file", "The file is larger than 6 MB: it is not one of ours.");
  const text = await file.text().catch((error: unknown) => {
    throw error instanceof Error ? new FileError("file", error.message) : error;
  });
  const value = jsonOf(text);
  if (
    !isObject(value) ||
    typeof value["format"] !== "string" ||
    !value["format"].startsWith("sotto-conversation")
  ) {
    throw new FileError(
      "file",
      "This is not a conversation exported here. Choose a file that ends in .sotto.json.",
    );
  }
  if (value["format"] !== format) {
    throw new FileError(
      "file",
      "The file was written by a newer version of Sotto. Update this service to read it.",
    );
  }
  const [salt, nonce, sum, data] = ["salt", "nonce", "checksum", "data"].map((name) =>
    fromBase64(value[name]),
  );
  const iterations = Number(value["iterations"]);
  const isWhole = Number.isInteger(iterations) && iterations > 0 && iterations <= mostIterations;
  const sealed = isWhole && salt && nonce && data ? { iterations, salt, nonce, data } : null;
  if (sealed === null || sum === undefined || toBase64(await checksum(sealed)) !== toBase64(sum))
    throw damaged();
  return sealed;
}

export async function unseal({ iterations, salt, nonce, data }: Sealed, passphrase: string): Promise<string> {
  const key = await keyOf(passphrase, salt, iterations);
  let plain: ArrayBuffer;
  try {
    plain = await crypto.subtle.decrypt(cipher(nonce), key, data);
  } catch {
    throw new FileError(
      "passphrase",
      "The passphrase is wrong. Enter the one that the file was exported with.",
    );
  }
  return new TextDecoder().decode(plain);
}

export const damaged = (): FileError =>
  new FileError("file", "The file is damaged or incomplete. Copy it again from where it was saved.");

const cipher = (iv: Uint8Array<ArrayBuffer>) => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(format),
});

async function keyOf(
  passphrase: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<CryptoKey> {
  // The same letters are written with different characters on different systems.
  const bytes = new TextEncoder().encode(passphrase.normalize("NFKC"));
  const typed = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    { name: "PBKDF2", hash: "SHA-256", salt, iterations },
    typed,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

async function checksum({ iterations, salt, nonce, data }: Sealed): Promise<Uint8Array<ArrayBuffer>> {
  const whole = await new Blob([String(iterations), salt, nonce, data]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut off in the middle, it still begins like one of ours.
    if (text.startsWith(`{"format":"${format}"`)) throw damaged();
    return null;
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Undefined for what is not base64. */
function fromBase64(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
