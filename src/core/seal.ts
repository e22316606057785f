/** AES-256-GCM: nonce, text, tag. What is sealed for a place opens there only. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const nonceBytes = 12;
const tagBytes = 16;

export function seal(key: Uint8Array, value: string | Uint8Array, place = ""): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(Buffer.from(value)), cipher.final(), cipher.getAuthTag()]);
}

/** Null for what is damaged, or was sealed under another key or for another place. */
export function unseal(key: Uint8Array, sealed: Buffer, place = ""): Buffer | null {
  if (sealed.length < nonceBytes + tagBytes) return null;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(-tagBytes));
  const opened = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    return null;
  }
}
