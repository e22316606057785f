/**
 * Counts what was used, in hourly buckets by account, key and model. Counts gather in memory and are added to
 * the store every two seconds and on closing, so a killed process loses at most that much. A write that fails,
 * on a full disk say, is tried again with the next; what gathers meanwhile is bounded: past it, hours and keys
 * that are not in memory yet go uncounted, and those that are go on.
 */
import type { ModelId } from "../protocol/models.js";
import type { UsageBucketRow, UsageStore } from "./dashboard-ports.js";
import { noFirstTokens, sumOfFirstTokens, withFirstToken } from "./first-tokens.js";
import type { LiveRates } from "./live-rates.js";
import type { Clock } from "./ports.js";
import { Rounds } from "./rounds.js";

const flushEveryMs = 2_000;
const mostBuckets = 20_000;
export const hourMs = 60 * 60_000;

export interface UsedRequest {
  accountId: string;
  keyId: string;
  model: ModelId;
  /** False when the client was shown an error. */
  ok: boolean;
  promptTokens: number;
  completionTokens: number;
  firstTokenMs?: number | undefined;
  queuedMs?: number | undefined;
}

export class UsageRecorder {
  #buckets = new Map<string, UsageBucketRow>();
  #failing = false;
  readonly #flushes: Rounds;

  constructor(
    private readonly store: UsageStore,
    private readonly rates: LiveRates,
    private readonly clock: Clock,
    private readonly reportFault: (error: unknown) => void,
  ) {
    this.#flushes = new Rounds(() => this.#write(), flushEveryMs);
  }

  record(used: UsedRequest): void {
    this.rates.add(used.model, used.completionTokens, used.queuedMs);
    const { accountId, keyId, model, firstTokenMs } = used;
    const now = this.clock.now().getTime();
    const start = new Date(now - (now % hourMs));
    this.#add({
      accountId,
      keyId,
      model,
      start,
      requests: 1,
      errors: used.ok ? 0 : 1,
      promptTokens: used.promptTokens,
      completionTokens: used.completionTokens,
      firstTokenMs: firstTokenMs ?? 0,
      firstTokens: firstTokenMs === undefined ? noFirstTokens : withFirstToken(noFirstTokens, firstTokenMs),
    });
  }

  /** Call after deleting an account. */
  forgetAccount(accountId: string): void {
    for (const [name, bucket] of this.#buckets) {
      if (bucket.accountId === accountId) this.#buckets.delete(name);
    }
  }

  /** Writes what has gathered. Never rejects. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  close(): Promise<void> {
    return this.#flushes.finish();
  }

  async #write(): Promise<void> {
    if (this.#buckets.size === 0) return;
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
    const name = `${bucket.accountId} ${bucket.keyId} ${bucket.model} ${bucket.start.getTime()}`;
    const held = this.#buckets.get(name);
    if (held !== undefined) this.#buckets.set(name, { ...bucket, ...sumOfUsage(held, bucket) });
    else if (this.#buckets.size < mostBuckets) this.#buckets.set(name, bucket);
  }
}

type Counts = Omit<UsageBucketRow, "accountId" | "keyId" | "model" | "start">;

export const noUsage: Counts = {
  requests: 0,
  errors: 0,
  promptTokens: 0,
  completionTokens: 0,
  firstTokenMs: 0,
  firstTokens: noFirstTokens,
};

export const sumOfUsage = (a: Counts, b: Counts): Counts => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  firstTokenMs: a.firstTokenMs + b.firstTokenMs,
  firstTokens: sumOfFirstTokens(a.firstTokens, b.firstTokens),
});
