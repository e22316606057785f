/** The entities that every area of the core works with. */
import type { KeyScope } from "./key-scopes.js";
import type { ModelId } from "./models.js";

export type Role = "user" | "admin";

/** A team is an account that holds keys, a plan and usage, and that nobody signs in to. */
type AccountKind = "person" | "team";

/** The one that may do most first. */
export const teamRoles = ["owner", "admin", "member", "viewer"] as const;
export type TeamRole = (typeof teamRoles)[number];

export interface Account {
  id: string;
  kind: AccountKind;
  /** Of a team: its name. */
  email: string;
  /** Null until a link mailed to it was opened. */
  emailVerifiedAt: Date | null;
  role: Role;
  planId: string;
  suspendedAt: Date | null;
  createdAt: Date;
}

export const operations = ["chat", "models"] as const;
export type Operation = (typeof operations)[number];

/** Limits by the calendar's day and month; null: none. Tokens of prompts and replies together. */
export interface Quotas {
  requestsPerDay: number | null;
  tokensPerDay: number | null;
  requestsPerMonth: number | null;
  tokensPerMonth: number | null;
}

export const noQuotas: Quotas = {
  requestsPerDay: null,
  tokensPerDay: null,
  requestsPerMonth: null,
  tokensPerMonth: null,
};

/** The plan of a team that has quotas of its own: these count in place of the plan's. */
export const withQuotas = (plan: Plan, quotas: Quotas): Plan => ({
  ...plan,
  requestsPerDay: quotas.requestsPerDay ?? plan.requestsPerDay,
  tokensPerDay: quotas.tokensPerDay ?? plan.tokensPerDay,
  requestsPerMonth: quotas.requestsPerMonth ?? plan.requestsPerMonth,
  tokensPerMonth: quotas.tokensPerMonth ?? plan.tokensPerMonth,
});

/** Limits of one key, below those of its account's plan; null where only the plan's applies. */
export interface KeyLimits extends Quotas {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrentRequests: number | null;
}

export const noKeyLimits: KeyLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
  ...noQuotas,
};

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  /** The last four characters, so that people recognise a key they hold. */
  lastFour: string;
  /** null: every model. */
  models: readonly ModelId[] | null;
  /** null: every operation. */
  operations: readonly Operation[] | null;
  limits: KeyLimits;
  createdAt: Date;
  expiresAt: Date | null;
  /** It is refused from this time on, permanently. */
  revokedAt: Date | null;
  /** While set it is refused; its owner can enable it again. */
  disabledAt: Date | null;
  /** The beginning of the day, in UTC: nothing finer is kept. */
  lastUsedAt: Date | null;
  /** Of the last request that named one, that day or earlier. */
  lastUsedModel: ModelId | null;
  /** Chosen by its owner, to find it by. */
  tags: readonly string[];
  /** The id of the key that it replaces. */
  replaces: string | null;
  /** The id of the first key that rotations replaced, or its own: all of them share the counts of their own limits. */
  lineage: string;
  /** Networks that it may be used from, as in `networks.ts`; null: any. */
  allowFrom: readonly string[] | null;
  /** In a team: the account of the member whose key it is; null for a service key and outside of teams. */
  memberId: string | null;
  /** Empty for an ordinary key. */
  scopes: readonly KeyScope[];
}

/** Whose key it is in a team. */
export interface KeyMember {
  /** Of the member's own account. */
  id: string;
  suspendedAt: Date | null;
  /** The member's own in this team. */
  limits: KeyLimits;
}

/** Limits of a plan. All are for one account, whatever the number of its keys. */
export interface Plan extends Quotas {
  id: string;
  name: string;
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrentRequests: number;
  maxKeys: number;
  /** The largest `max_tokens`; null: what the context leaves. */
  maxTokens: number | null;
  /** null: every model. */
  models: readonly ModelId[] | null;
  /** Whether its accounts must encrypt the bodies of their requests. */
  requiresEncryption: boolean;
  /** How much more of a busy engine its accounts get than those of a plan with weight 1. */
  weight: number;
}

/** A key with what is needed to admit its requests, read in one query. */
export interface KeyRecord {
  key: ApiKey;
  account: Account;
  plan: Plan;
  /** Set for a key of a team's member. */
  member?: KeyMember;
  /** Of a key of a team that is limited to networks: the key's own list may only narrow them down. */
  teamAllowFrom?: readonly string[];
  /** Set in the playground, where a session replaces the key; its `key` is then no row of the store. */
  session?: { hash: Uint8Array };
}
