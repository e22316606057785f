/**
 * Counts what was used, in hourly buckets by account, key and model. Counts collect in memory and are added to
 * the store within a second and on closing, so a killed process loses at most that much. A write that fails,
 * on a full disk say, is retried before the next; memory is bounded: beyond that, new hours and keys
 * go uncounted, and those in memory are still counted.
 *
 * What the store has not taken when the server ends is spilled, and written at its next start. Each batch keeps its
 * id through all of that, and the store adds an id once: neither a write whose answer was lost nor a crash between
 * the write and the removal of the spill counts anything twice. The store may forget an id when no spill has it.
 *
 * A reader of usage needs both what is stored and what is still held here, each count once. So a write waits
 * for the readings under way, and a reading for the write under way; a write that waits goes before new readings.
 * Only a write whose answer was lost is seen twice, until it is tried again.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.js";
import type { ModelId } from "../models.js";
import { PeriodicTask } from "../periodic-task.js";
import { withTimeLimit } from "../time-limit.js";
import { addFirstToken, noFirstTokenTimes, sumOfFirstTokenTimes } from "./first-tokens.js";
import type { LiveRates } from "./live-rates.js";
import type { QuotaDay, UsageBatch, UsageBucketRow, UsageCounts, UsageSpill, UsageStore } from "./ports.js";

/** With the pages asking every second, a request appears within two, whichever replica served it. */
const flushEveryMs = 750;
const mostBuckets = 20_000;
/** A reading that takes longer may miss or double what is written meanwhile; writing cannot wait indefinitely. */
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

/** Counts that the store did not take before the server ended. */
export interface UsageLeft extends Pick<UsageCounts, "requests" | "promptTokens" | "completionTokens"> {
  /** `saved` for the next start, or `lost`. */
  outcome: "saved" | "lost";
}

export interface UsageRecorderParts {
  store: UsageStore;
  rates: LiveRates;
  clock: Clock;
  reportError: (error: unknown) => void;
  spill?: UsageSpill | undefined;
  /** Called when the server ends before everything was written to the store. */
  onLeft?: ((left: UsageLeft) => void) | undefined;
}

export class UsageRecorder {
  /** Counted into until they are sealed in a batch. */
  #buckets = new Map<string, UsageBucketRow>();
  /** What was used of quotas; written with the rest, so that it is added as often. */
  #days = new Map<string, QuotaDay>();
  /** Being written, or tried before, the oldest first. */
  #batches: UsageBatch[] = [];
  /** Ids that the store has added and still remembers. */
  #added: string[] = [];
  #isSpilled = false;
  #failing = false;
  #writing: Promise<void> | null = null;
  readonly #readings = new Set<Promise<unknown>>();
  readonly #flushes: PeriodicTask;

  constructor(private readonly parts: UsageRecorderParts) {
    this.#flushes = new PeriodicTask(() => this.#flush(), flushEveryMs);
    this.#load();
  }

  /** How many requests the store has not taken yet. */
  get waiting(): number {
    return this.#unwritten().reduce((sum, { requests }) => sum + requests, 0);
  }

  record(used: UsedRequest): void {
    const { model, queuedMs } = used;
    if (model !== null && queuedMs !== undefined) this.parts.rates.addWait(model, queuedMs);
    const bucket = this.#bucketOf(used);
    if (bucket !== null) count(used, bucket);
  }

  /** Counts for quotas, by the day that the request belongs to. Urgent: it is written without delay. */
  recordDay(used: QuotaDay, { isUrgent } = { isUrgent: false }): void {
    const key = `${used.accountId} ${used.keyId} ${used.day}`;
    const held = this.#days.get(key);
    if (held !== undefined) {
      held.requests += used.requests;
      held.tokens += used.tokens;
    } else if (this.#days.size < mostBuckets) {
      this.#days.set(key, { ...used });
    }
    if (isUrgent) void this.#flushes.runAgain();
  }

  /** Call after deleting an account. */
  forgetAccount(accountId: string): void {
    for (const [key, day] of this.#days) if (day.accountId === accountId) this.#days.delete(key);
    for (const [key, row] of this.#buckets) if (row.accountId === accountId) this.#buckets.delete(key);
    this.#batches = this.#batches.map(({ id, rows, days }) => ({
      id,
      rows: rows.filter((row) => row.accountId !== accountId),
      days: days.filter((day) => day.accountId !== accountId),
    }));
  }

  /** Retries a write whose answer may have been lost, so that it is not read twice. Never rejects. */
  async retry(): Promise<void> {
    if (this.#batches.length > 0) await this.flush();
  }

  /** Runs `read` with what the account has in memory, while none of that is being written to the store. */
  async reading<T>(
    accountId: string,
    read: (held: readonly UsageBucketRow[], days: readonly QuotaDay[]) => Promise<T>,
  ): Promise<T> {
    while (this.#writing !== null) await this.#writing;
    const isAsked = (row: { accountId: string }): boolean => row.accountId === accountId;
    const held = this.#unwritten().filter(isAsked);
    const days = [...this.#batches.flatMap((batch) => batch.days), ...this.#days.values()].filter(isAsked);
    // As they are now: requests that end meanwhile are counted into them.
    const reading = read(structuredClone(held), structuredClone(days));
    this.#readings.add(reading);
    try {
      return await reading;
    } finally {
      this.#readings.delete(reading);
    }
  }

  /** Writes what has been counted. Never rejects. */
  flush(): Promise<void> {
    return this.#flushes.run();
  }

  /** Writes the rest, or spills it. Never rejects. */
  async close(): Promise<void> {
    await this.#flushes.finish();
    this.spill();
    if (!this.#isSpilled) await this.parts.store.forgetBatches(this.#added).catch(() => undefined);
  }

  /** Saves what the store has not taken, for a process that ends now. */
  spill(): void {
    const rows = this.#unwritten();
    this.#seal();
    if (this.#batches.length === 0) return;
    const { requests, promptTokens, completionTokens } = rows.reduce(sumOfUsage, noUsage);
    const outcome = this.#save() ? "saved" : "lost";
    this.parts.onLeft?.({ outcome, requests, promptTokens, completionTokens });
  }

  #save(): boolean {
    const { spill, reportError } = this.parts;
    if (spill === undefined) return false;
    try {
      spill.save(this.#batches);
      this.#isSpilled = true;
      return true;
    } catch (error) {
      reportError(error);
      return false;
    }
  }

  #load(): void {
    try {
      this.#batches = this.parts.spill?.load() ?? [];
      this.#isSpilled = this.#batches.length > 0;
    } catch (error) {
      this.parts.reportError(error);
    }
  }

  async #flush(): Promise<void> {
    this.#writing = this.#write();
    await this.#writing;
    this.#writing = null;
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    if (this.#readings.size > 0) {
      await withTimeLimit(Promise.allSettled(this.#readings), longestReadingMs).catch(() => undefined);
    }
    try {
      // What was tried before goes first, as it was.
      if (this.#batches.length > 0) await this.#writeBatches();
      // Once: under load there is something new after every write, and this would never end.
      this.#seal();
      await this.#writeBatches();
      if (this.#isSpilled) this.parts.spill?.clear();
      this.#isSpilled = false;
    } catch (error) {
      // Once for each time that it begins: a full disk may stay full for hours.
      if (!this.#failing) this.parts.reportError(error);
      this.#failing = true;
    }
  }

  async #writeBatches(): Promise<void> {
    for (let [batch] = this.#batches; batch !== undefined; [batch] = this.#batches) {
      const { id, rows, days } = batch;
      // What the spill still has would be tried again after a crash.
      const done = this.#isSpilled ? [] : this.#added;
      await this.parts.store.add(rows, { id, done }, days);
      this.#batches = this.#batches.filter((other) => other.id !== id);
      this.#added = [...this.#added.slice(done.length), id];
      this.#failing = false;
    }
  }

  /** Moves what has been counted into a batch. */
  #seal(): void {
    if (this.#buckets.size === 0 && this.#days.size === 0) return;
    this.#batches.push({
      id: randomUUID(),
      rows: [...this.#buckets.values()],
      days: [...this.#days.values()],
    });
    this.#buckets = new Map();
    this.#days = new Map();
  }

  #unwritten(): UsageBucketRow[] {
    return [...this.#batches.flatMap(({ rows }) => rows), ...this.#buckets.values()];
  }

  /** Null where no more can be held. */
  #bucketOf({ accountId, keyId, model }: UsedRequest): UsageBucketRow | null {
    const now = this.parts.clock.now().getTime();
    const startMs = now - (now % hourMs);
    const key = `${accountId} ${keyId} ${model} ${startMs}`;
    const held = this.#buckets.get(key);
    if (held !== undefined) return held;
    const inBatches = this.#batches.reduce((sum, { rows }) => sum + rows.length, 0);
    if (this.#buckets.size + inBatches >= mostBuckets) return null;
    const bucket = { accountId, keyId, model, start: new Date(startMs), ...noUsage };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

function count(
  { outcome, promptTokens, completionTokens, firstTokenMs }: UsedRequest,
  into: UsageCounts,
): void {
  if (outcome === "ok" || outcome === "error") into.requests += 1;
  if (outcome === "error") into.errors += 1;
  if (outcome === "rate_limited") into.rateLimited += 1;
  if (outcome === "unavailable") into.unavailable += 1;
  into.promptTokens += promptTokens;
  into.completionTokens += completionTokens;
  if (firstTokenMs !== undefined) addFirstToken(into, firstTokenMs);
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
