/**
 * What a key may do besides the model API. A key without scopes is an ordinary one; a key with scopes is for operators'
 * programs alone and cannot use models, so that neither kind works where the other leaks.
 */

/** `admin:write` includes `admin:read`. */
export const keyScopes = ["admin:read", "admin:write", "scim"] as const;

export type KeyScope = (typeof keyScopes)[number];

export const isKeyScope = (text: string): text is KeyScope => keyScopes.some((scope) => scope === text);
