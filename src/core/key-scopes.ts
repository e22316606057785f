/**
 * What a key may do besides the model API. A key without scopes is an ordinary one; a key with scopes is for operators'
 * programs alone and cannot use models, so that neither kind works where the other leaks.
 */
import type { KeyRecord } from "./entities.js";

/** `admin:write` includes `admin:read`. */
export const keyScopes = ["admin:read", "admin:write", "scim"] as const;

export type KeyScope = (typeof keyScopes)[number];

export const isKeyScope = (text: string): text is KeyScope => keyScopes.some((scope) => scope === text);

/** Only while the key's account is an admin: a record is read again as soon as its account changes. */
export function hasScope({ key, account }: KeyRecord, wanted: KeyScope): boolean {
  if (account.kind !== "person" || account.role !== "admin") return false;
  return key.scopes.includes(wanted) || (wanted === "admin:read" && key.scopes.includes("admin:write"));
}
