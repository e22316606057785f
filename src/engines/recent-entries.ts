/**
 * What was set in the last ten minutes, as long as engines on this machine keep anything warm. In memory only; each
 * entry belongs to an account, and is dropped when its time is over, also when nobody asks. Past the bound the oldest
 * are dropped.
 */
import type { Clock } from "../core/clock.js";
import type { Kept } from "../core/serving/engine-port.js";

const keptMs = 10 * 60_000;

interface Entry<Value> {
  value: Value;
  accountId: string;
  weight: number;
  untilMs: number;
}

export class RecentEntries<Value> {
  /** The oldest, which expires first, is at the beginning. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;
  #sweep: NodeJS.Timeout | undefined;

  /** `maxWeight`: of all entries together; 0 keeps nothing. */
  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly maxWeight: number,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || entry.untilMs <= this.clock.monotonicMs() ? undefined : entry.value;
  }

  /** Also renews it. */
  set(key: string, accountId: string, value: Value, weight = 1): void {
    this.#delete(key);
    this.#entries.set(key, { value, accountId, weight, untilMs: this.clock.monotonicMs() + keptMs });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.maxWeight) break;
      this.#delete(oldest);
    }
    this.#sweep ??= this.#sweepIn(keptMs);
  }

  keptOf(accountId: string): Kept {
    const nowMs = this.clock.monotonicMs();
    const left = [...this.#entries.values()].flatMap((entry) =>
      entry.accountId === accountId && entry.untilMs > nowMs ? [entry.untilMs - nowMs] : [],
    );
    return { count: left.length, lastMs: left.reduce((last, ms) => Math.max(last, ms), 0) };
  }

  forgetAccount(accountId: string): void {
    for (const [key, entry] of this.#entries) if (entry.accountId === accountId) this.#delete(key);
  }

  forgetValue(value: Value): void {
    for (const [key, entry] of this.#entries) if (entry.value === value) this.#delete(key);
  }

  clear(): void {
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
    this.#entries.clear();
    this.#weight = 0;
  }

  #delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  #sweepIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const nowMs = this.clock.monotonicMs();
      this.#sweep = undefined;
      for (const [key, { untilMs }] of this.#entries) {
        if (untilMs > nowMs) {
          this.#sweep = this.#sweepIn(untilMs - nowMs);
          return;
        }
        this.#delete(key);
      }
    }, ms).unref();
  }
}
