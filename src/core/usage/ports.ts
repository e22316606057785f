/** What usage needs from the store. Nothing but counts. */
import type { ModelId } from "../models.js";
import type { FirstTokenTimes } from "./first-tokens.js";

/** What was used in some time, by whomever it is counted for. */
export interface UsageCounts extends FirstTokenTimes {
  /** Without those that were refused. */
  requests: number;
  errors: number;
  /** Refused with 429. */
  rateLimited: number;
  /** Refused with 503 before they ran. */
  unavailable: number;
  promptTokens: number;
  completionTokens: number;
}

/** What is shown of a key's or a model's part in it. */
export interface UsageShare {
  requests: number;
  /** Rate-limited or unavailable. */
  refused: number;
  tokens: number;
}

/** What one key did with one model in one hour, or in a longer step when read. */
export interface UsageBucketRow extends UsageCounts {
  accountId: string;
  keyId: string;
  /** Null for requests that were refused before their body, which names it, was read. */
  model: ModelId | null;
  start: Date;
}

export interface UsageFilter {
  accountId: string;
  /** From this time on. */
  from: Date;
  /** Before this time. */
  to: Date;
  keyId?: string | undefined;
  model?: ModelId | undefined;
}

export interface UsageStore {
  /**
   * Adds to the buckets in one transaction. What belongs to accounts that do not exist is left out. A batch with an
   * id is added once, however often it is tried: a connection that breaks may leave open whether it was. Those in
   * `done` will not be tried again.
   */
  add(
    rows: readonly UsageBucketRow[],
    batch?: { id: string; done: readonly string[] },
    days?: readonly QuotaDay[],
  ): Promise<void>;
  /** These ids will not be tried again. */
  forgetBatches(ids: readonly string[]): Promise<void>;
  /** Summed up by step, key and model; by time. `stepMs` is an hour or a multiple of it, counted from 1970. */
  read(filter: UsageFilter, stepMs: number): Promise<UsageBucketRow[]>;
  /** Summed up by step; by time. */
  readByTime(filter: UsageFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]>;
  readByKey(filter: UsageFilter): Promise<(UsageShare & { keyId: string })[]>;
  readByModel(filter: UsageFilter): Promise<(UsageShare & { model: ModelId | null })[]>;
  /** Removes buckets, and ids of batches that nobody asked to forget. */
  prune(before: Date): Promise<void>;
}

/** Counts that are added together. */
export interface UsageBatch {
  id: string;
  rows: readonly UsageBucketRow[];
  days: readonly QuotaDay[];
}

/**
 * Where counts that the store did not take wait for the next start of this server. Synchronous, since a process
 * may have no more time than that. Every method throws when it cannot be done.
 */
export interface UsageSpill {
  load(): UsageBatch[];
  /** In place of what was saved before. */
  save(batches: readonly UsageBatch[]): void;
  clear(): void;
}

export interface QuotaUse {
  requests: number;
  tokens: number;
}

/** What one key used on one day of the calendar that quotas follow. */
export interface QuotaDay extends QuotaUse {
  accountId: string;
  keyId: string;
  /** In a team: whose key it is. Not stored: the key says it. */
  memberId?: string | undefined;
  /** `2026-11-16` */
  day: string;
}
