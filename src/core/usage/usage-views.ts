/** What is shown of usage: of one account, and of the whole service. Counts only. */
import type { ErrorCode } from "../errors.js";
import type { ModelId } from "../models.js";

export interface UsageBucket {
  /** Start of the hour, or of the day in UTC. */
  start: string;
  /** Without those that were refused. */
  requests: number;
  errors: number;
  /** Refused with 429. */
  rateLimited: number;
  /** Refused with 503 before they ran. */
  unavailable: number;
  promptTokens: number;
  completionTokens: number;
  /** Exact for few replies, else estimated from a histogram; null without a first token. */
  firstTokenMsP50: number | null;
  firstTokenMsP95: number | null;
}

/** How a key is shown: its name, and what tells it from others of that name. */
export interface KeyLabel {
  name: string;
  /** Null for the playground, and for a key that is gone. */
  lastFour: string | null;
}

export interface UsageReport {
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  /** Model is null for requests that were refused before it was known. */
  byModel: { model: ModelId | null; requests: number; refused: number; tokens: number }[];
  byKey: (KeyLabel & { keyId: string; requests: number; refused: number; tokens: number })[];
}

export interface ServiceUsageReport {
  /** The account that was asked for. */
  account: { id: string; email: string } | null;
  key: (KeyLabel & { id: string }) | null;
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  byModel: { model: ModelId | null; requests: number; refused: number; tokens: number }[];
  /** Errors and refusals by code, the most first. Null with an account or a key: causes are not kept by account. */
  causes: { code: ErrorCode; status: number; requests: number }[] | null;
}

/** An account that used the service much, or one of its keys. */
export interface TopUser {
  accountId: string;
  email: string;
  /** Null where accounts are ranked. */
  keyId: string | null;
  key: KeyLabel | null;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

export interface TopUsers {
  accounts: TopUser[];
  keys: TopUser[];
}
