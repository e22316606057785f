/**
 * The name of an account's part of an engine's prompt cache. Two accounts never share one; without
 * the server's secret, the engine cannot infer the account and a client cannot choose the salt.
 */
import { createHmac, randomBytes } from "node:crypto";

/** The store's setting that keeps the secret. Changing it empties every cache once, and nothing else. */
export const cacheSaltSetting = "secret.cache_salt";

export const newCacheSaltSecret = (): string => randomBytes(32).toString("base64url");

export const cacheSalt = (secret: string, accountId: string): string =>
  createHmac("sha256", secret).update(accountId).digest("base64url");
