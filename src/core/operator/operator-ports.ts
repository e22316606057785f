/**
 * What an operator's pages need from the store: sums over all accounts, how requests ended, and facts for the
 * checklist. As everywhere, every method rejects when the database cannot be reached. Nothing but counts.
 */
import type { ErrorCode } from "../errors.js";
import type { ModelId } from "../models.js";
import type { UsageCounts } from "../usage/usage-counts.js";

export interface ServiceStore {
  readonly usage: ServiceUsageStore;
  readonly outcomes: OutcomeStore;
  readonly facts: OperatorFacts;
}

export interface ServiceFilter {
  /** From this time on. */
  from: Date;
  /** Before this time. */
  to: Date;
  model?: ModelId | undefined;
}

export interface TopFilter extends ServiceFilter {
  accountId?: string | undefined;
}

/** One who used the service much: an account, or one of its keys. */
export interface TopUser {
  accountId: string;
  email: string;
  /** Null where accounts are ranked. */
  keyId: string | null;
  /** Null where the key is gone, or is none. */
  keyName: string | null;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

export interface TopUsers {
  accounts: TopUser[];
  keys: TopUser[];
}

export interface ServiceUsageLine extends UsageCounts {
  start: Date;
  email: string;
  keyId: string;
  keyName: string | null;
  model: ModelId | null;
}

/** Written by `UsageStore.add`, in the same transaction. What deleted accounts used stays in the sums. */
export interface ServiceUsageStore {
  /** Summed up by step; by time. `stepMs` is an hour or a multiple of it, counted from 1970. */
  readByTime(filter: ServiceFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]>;
  readByModel(filter: ServiceFilter): Promise<(UsageCounts & { model: ModelId | null })[]>;
  /**
   * The first `limit` accounts and keys by that measure, the most first. Of accounts that still exist; of one account
   * only its keys.
   */
  top(filter: TopFilter, measure: "requests" | "tokens", limit: number): Promise<TopUsers>;
  /** By step, account, key and model; by time. Of accounts that still exist. */
  lines(filter: TopFilter & { keyId?: string | undefined }, stepMs: number): Promise<ServiceUsageLine[]>;
  prune(before: Date): Promise<void>;
}

/** How many requests of an hour ended with this code, `none` being no error. */
export interface Outcomes {
  start: Date;
  /** Null where it was not known yet. */
  model: ModelId | null;
  code: ErrorCode | "none";
  requests: number;
}

export interface OutcomeStore {
  /** Adds to what is there. */
  add(rows: readonly Outcomes[]): Promise<void>;
  /** Summed up by code. */
  readByCode(filter: ServiceFilter): Promise<Pick<Outcomes, "code" | "requests">[]>;
  /** Summed up by day in UTC, model and code; by time. */
  readByDay(from: Date, to: Date): Promise<Outcomes[]>;
  /** By hour, of all hours in which a request ended with one of these codes; by time. */
  readHoursWith(codes: readonly ErrorCode[], from: Date, to: Date): Promise<Outcomes[]>;
  /** When the oldest hour began; null without any. */
  since(): Promise<Date | null>;
  prune(before: Date): Promise<void>;
}

export interface OperatorFacts {
  /** Whether there are two accounts that people can sign in to. */
  hasSecondAccount(): Promise<boolean>;
  /** Whether an invitation can still be used. */
  hasInvitation(now: Date): Promise<boolean>;
  /** Those of these settings that are set. */
  settings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
