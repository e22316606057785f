/** What is shown of usage: of one account, and of the whole service. Counts only. */
import type { ErrorCode } from "../errors.js";
import type { ModelId } from "../models.js";
import type { FirstTokenTimes } from "./first-tokens.js";
import type { UsageCounts, UsageShare } from "./ports.js";

/** With an estimate in place of the histogram of first tokens. */
export interface UsageBucket extends Omit<UsageCounts, keyof FirstTokenTimes> {
  /** Start of the hour, or of the day in UTC. */
  start: string;
  /** Exact for few replies, else estimated from a histogram; null without a first token. */
  firstTokenMsP50: number | null;
  firstTokenMsP95: number | null;
}

/** How a key is shown: its name, and its last four characters, since names are not unique. */
export interface KeyLabel {
  name: string;
  /** Null for the playground, and for a key that is gone. */
  lastFour: string | null;
}

export interface UsageReport {
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  /** Model is null for requests that were refused before it was known. */
  byModel: (UsageShare & { model: ModelId | null })[];
  byKey: (KeyLabel & UsageShare & { keyId: string })[];
}

export interface ServiceUsageReport extends Omit<UsageReport, "byKey"> {
  /** The account that was asked for. */
  account: { id: string; email: string } | null;
  key: (KeyLabel & { id: string }) | null;
  /** Errors and refusals by code, the most first. Null with an account or a key: causes are not kept by account. */
  causes: { code: ErrorCode; status: number; requests: number }[] | null;
}

/** An account that used the service much, or one of its keys. */
export interface TopUser extends UsageShare {
  accountId: string;
  email: string;
  /** Null where accounts are ranked. */
  keyId: string | null;
  key: KeyLabel | null;
  errors: number;
}

export interface TopUsers {
  accounts: TopUser[];
  keys: TopUser[];
}
