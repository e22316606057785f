/** The entities that every area of the core works with. */
import type { ModelId } from "./models.js";

export type Role = "user" | "admin";

export interface Account {
  id: string;
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
  /** Set in the playground, where a session replaces the key; its `key` is then no row of the store. */
  session?: { hash: Uint8Array };
}
