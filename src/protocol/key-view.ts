/** The wire shape of `GET /v1/key`. It has no place for the key itself, nor for who owns it. */

export interface WireKey {
  id: string;
  object: "key";
  name: string;
  last_four: string;
  plan: { id: string; name: string };
  /** Those that both the key and its plan allow. */
  models: string[];
  operations: string[];
  /** Of the operator's API; empty for a key that uses models. */
  scopes: string[];
  /** Unix seconds. */
  created: number;
  /** Unix seconds; null for never. */
  expires_at: number | null;
  limits: WireLimit[];
}

export interface WireLimit {
  name: string;
  /** Whose it is: this key's own, or shared by all keys of a team's member, the team or the account. */
  scope: "key" | "member" | "team" | "account";
  limit: number;
  remaining: number;
  /** Unix seconds; null where nothing is used, and where no clock frees it. */
  resets_at: number | null;
}
