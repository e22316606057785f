/**
 * Counts what was used, in hourly buckets by account, key and model. Counts gather in memory and are added to
 * the store within a second and on closing, so a killed process loses at most that much. A write that fails,
 * on a full disk say, is tried again with the next; what gathers meanwhile is bounded: past it, hours and keys
 * that are not in memory yet go uncounted, and those that are go on.
 *
 * Whoever reads usage wants both what is stored and what is still held here, each count once. So a write waits
 * for the readings under way, and a reading for the write under way; a write that waits goes before new readings.
 */
import type { ModelId } from "../protocol/models.js";
import type { UsageBucketRow, UsageCounts, UsageStore } from "./dashboard-ports.js";
import { firstTokenTimesOf, noFirstTokenTimes, sumOfFirstTokenTimes } from "./first-tokens.js";
import type { LiveRates } from "./live-rates.js";
import type { Clock } from "./ports.js";
import { Rounds } from "./rounds.js";
import { withTimeLimit } from "./time-limit.js";

/** With the pages asking every second, a request appears within two, whichever replica served it. */
const flushEveryMs = 750;
const mostBuckets = 20_000;
/** A reading that takes longer may miss or double what is written meanwhile; writing cannot wait for ever. */
const longestReadingMs = 5_000;
export const hourMs = 60 * 60_000;

/**
 * `error`: the client was shown one. `rate_limited` (429) and `unavailable` (503): refused before it ran, and
 * counted apart from requests.
 */
export type UsageOutcome = "ok" | "error" | "rate_limited" | "unavailable";

export interface UsedRequest {
  accountId: string;
  keyId: string;
  /** Null when it was refused before its body was read. */
  model: ModelId | null;
  outcome: UsageOutcome;
  promptTokens: number;
  completionTokens: number;
  firstTokenMs?: number | undefined;
  queuedMs?: number | undefined;
}

export class UsageRecorder {
  #buckets = new Map<string, UsageBucketRow>();
  #failing = false;
  #writing: Promise<void> | null = null;
  readonly #readings = new Set<Promise<unknown>>();
  readonly #flushes: Rounds;

  constructor(
    private readonly store: UsageStore,
    private readonly rates: LiveRates,
    private readonly clock: Clock,
    private readonly reportFault: (error: unknown) => void,
  ) {
    this.#flushes = new Rounds(() => this.#flush(), flushEveryMs);
  }

  record(used: UsedRequest): void {
    const { accountId, keyId, model, outcome, promptTokens, completionTokens, queuedMs } = used;
    if (model !== null && queuedMs !== undefined) this.rates.addWait(model, queuedMs);
    const now = this.clock.now().getTime();
    const isRefused = outcome === "rate_limited" || outcome === "unavailable";
    this.#add({
      accountId,
      keyId,
      model,
      start: new Date(now - (now % hourMs)),
      requests: isRefused ? 0 : 1,
      errors: outcome === "error" ? 1 : 0,
      rateLimited: outcome === "rate_limited" ? 1 : 0,
      unavailable: outcome === "unavailable" ? 1 : 0,
      promptTokens,
      completionTokens,
      ...firstTokenTimesOf(used.firstTokenMs),
    });
  }

  /** Call after deleting an account. */
  forgetAccount(accountId: string): void {
    for (const [name, bucket] of this.#buckets) {
      if (bucket.accountId === accountId) this.#buckets.delete(name);
    }
  }

  /** Runs `read` with what the account has in memory, while none of that is being written to the store. */
  async reading<T>(
    accountId: string,
    read: (held: readonly UsageBucketRow[]) => Promise<T>,
  ): Promise<T> {
    while (this.#writing !== null) await this.#writing;
    const held = [...this.#buckets.values()].filter((bucket) => bucket.accountId === accountId);
    const reading = read(held);
    this.#readings.add(reading);
    try {
      return await reading;
    } finally {
      this.#readings.delete(reading);
    }
  }

  /** Writes what has gathered. Never rejects. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  close(): Promise<void> {
    return this.#flushes.finish();
  }

  async #flush(): Promise<void> {
    if (this.#buckets.size === 0) return;
    this.#writing = this.#write();
    await this.#writing;
    this.#writing = null;
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    if (this.#readings.size > 0) {
      await withTimeLimit(Promise.allSettled(this.#readings), longestReadingMs).catch(() => undefined);
    }
    const batch = [...this.#buckets.values()];
    this.#buckets = new Map();
    try {
      await this.store.add(batch);
      this.#failing = false;
    } catch (error) {
      // Once for each time that it begins: a full disk may stay full for hours.
      if (!this.#failing) this.reportFault(error);
      this.#failing = true;
      for (const bucket of batch) this.#add(bucket);
    }
  }

  #add(bucket: UsageBucketRow): void {
    const name = `${bucket.accountId} ${bucket.keyId} ${bucket.model ?? ""} ${bucket.start.getTime()}`;
    const held = this.#buckets.get(name);
    if (held !== undefined) this.#buckets.set(name, { ...bucket, ...sumOfUsage(held, bucket) });
    else if (this.#buckets.size < mostBuckets) this.#buckets.set(name, bucket);
  }
}

export const noUsage: UsageCounts = {
  requests: 0,
  errors: 0,
  rateLimited: 0,
  unavailable: 0,
  promptTokens: 0,
  completionTokens: 0,
  ...noFirstTokenTimes,
};

export const sumOfUsage = (a: UsageCounts, b: UsageCounts): UsageCounts => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  rateLimited: a.rateLimited + b.rateLimited,
  unavailable: a.unavailable + b.unavailable,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  ...sumOfFirstTokenTimes(a, b),
});
