/** The secrets of sessions and one-time links: 32 random bytes, of which only the SHA-256 is stored. */
import { createHash, randomBytes } from "node:crypto";

export const newToken = (): string => randomBytes(32).toString("base64url");

/** A new token with what is stored of it. */
export function newHashedToken(): { token: string; hash: Uint8Array } {
  const token = newToken();
  return { token, hash: sha256(token) };
}

const pattern = /^[A-Za-z0-9_-]{43}$/;

/** What is stored and looked up in place of the token. Null when the text cannot be one. */
export function tokenHash(token: string): Uint8Array | null {
  return pattern.test(token) ? sha256(token) : null;
}

/** For an address that has to be recognised but need not be kept. */
export const emailHash = (email: string): Uint8Array => sha256(email.trim().toLowerCase());

const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest();
