/**
 * Summaries of conversations that a client keeps for us: each is sealed (AES-256-GCM) under a key of its account, which
 * is derived from the service key, and nothing of it stays here. Every server with the same service key opens it, for as
 * long as that key is used.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const nonceBytes = 12;
const tagBytes = 16;
/** Tells them from what another service sealed. */
const prefix = "sotto.1.";

export class SealedSummaries {
  /** `serviceKey` may be of any length; 32 random bytes are enough. */
  constructor(private readonly serviceKey: Uint8Array) {}

  seal(accountId: string, text: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#keyOf(accountId), nonce);
    const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return prefix + Buffer.concat(sealed).toString("base64url");
  }

  /** Null for one that is damaged, or that another account or service key sealed. */
  open(accountId: string, summary: string): string | null {
    const sealed = Buffer.from(summary.slice(prefix.length), "base64url");
    if (!isSealedHere(summary) || sealed.length < nonceBytes + tagBytes) return null;
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", this.#keyOf(accountId), nonce, {
      authTagLength: tagBytes,
    }).setAuthTag(sealed.subarray(-tagBytes));
    const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
    try {
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }

  #keyOf(accountId: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.serviceKey, accountId, "sotto summaries", 32));
  }
}

/** By its form: whether it opens is another matter. */
export const isSealedHere = (summary: string): boolean => summary.startsWith(prefix);
