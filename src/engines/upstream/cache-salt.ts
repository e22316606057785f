/**
 * The name of an account's part of an engine's prompt cache. Two accounts never share one; without
 * the server's secret, the engine cannot infer the account and a client cannot choose the salt.
 */
import { createHmac, randomBytes } from "node:crypto";

/** The store's setting that keeps the secret; a change of it empties every cache once, and nothing else. */
export const cacheSaltSetting = "secret.cache_salt";

/** What a new installation puts into the setting. */
export const newCacheSaltSecret = (): string => randomBytes(32).toString("base64url");

/** A hash for each request would cost little, but a busy account sends thousands. */
const remembered = 10_000;

export class CacheSalts {
  readonly #salts = new Map<string, string>();

  constructor(private readonly secret: string) {
    if (secret.length < 16) throw new Error("The secret of cache salts is too short.");
  }

  saltOf(accountId: string): string {
    const known = this.#salts.get(accountId);
    if (known !== undefined) return known;
    const salt = createHmac("sha256", this.secret).update(accountId).digest("base64url");
    if (this.#salts.size >= remembered) this.#salts.clear();
    this.#salts.set(accountId, salt);
    return salt;
  }

  /** Only what is remembered: the engine may hold what it cached under the salt for as long as it likes. */
  forget(accountId: string): void {
    this.#salts.delete(accountId);
  }
}
