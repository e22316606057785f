/**
 * Summaries of conversations that a client keeps for us: each is sealed (AES-256-GCM) under a key of its account, which
 * is derived from the service key, and nothing of it stays here. Every server with the same service key opens it, for as
 * long as that key is used.
 */
import { hkdfSync } from "node:crypto";
import { seal, unseal } from "../seal.js";

/** Tells them from what another service sealed. */
const prefix = "sotto.1.";

export class SealedSummaries {
  /** `serviceKey` may be of any length; 32 random bytes are enough. */
  constructor(private readonly serviceKey: Uint8Array) {}

  seal(accountId: string, text: string): string {
    return prefix + seal(this.#keyOf(accountId), text).toString("base64url");
  }

  /** Null for one that is damaged, or that another account or service key sealed. */
  open(accountId: string, summary: string): string | null {
    if (!isSealedHere(summary)) return null;
    const sealed = Buffer.from(summary.slice(prefix.length), "base64url");
    return unseal(this.#keyOf(accountId), sealed)?.toString("utf8") ?? null;
  }

  #keyOf(accountId: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.serviceKey, accountId, "sotto summaries", 32));
  }
}

/** By its form: whether it opens is another matter. */
export const isSealedHere = (summary: string): boolean => summary.startsWith(prefix);
