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

export interface UsageReport {
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  /** Model is null for requests that were refused before it was known. */
  byModel: { model: ModelId | null; requests: number; refused: number; tokens: number }[];
  byKey: { keyId: string; name: string; requests: number; refused: number; tokens: number }[];
}

export interface ServiceUsageReport {
  /** The account that was asked for. */
  account: { id: string; email: string } | null;
  key: { id: string; name: string } | null;
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  byModel: { model: ModelId | null; requests: number; refused: number; tokens: number }[];
  /** Errors and refusals by code, the most first. Null with an account or a key: causes are not kept by account. */
  causes: { code: ErrorCode; status: number; requests: number }[] | null;
}

export interface TopUserView {
  accountId: string;
  email: string;
  /** Null where accounts are ranked. */
  keyId: string | null;
  keyName: string | null;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

export interface TopUsers {
  accounts: TopUserView[];
  keys: TopUserView[];
}
