/**
 * How the models do right now, for the operator's page: tokens a second over the last minute, and the middle
 * of the last waits in the queue. Kept in memory only and bounded; a restart begins anew.
 */
import { modelIds, type ModelId } from "../protocol/models.js";
import type { Clock } from "./ports.js";

const windowSeconds = 60;
const waitsKept = 200;

interface ModelRates {
  /** Tokens by second, in a ring: the entry of a second that is long over is taken by a new one. */
  seconds: { second: number; tokens: number }[];
  queueWaitsMs: number[];
}

export class LiveRates {
  readonly #models: Record<ModelId, ModelRates>;

  constructor(private readonly clock: Clock) {
    const none = (): ModelRates => ({
      seconds: Array.from({ length: windowSeconds }, () => ({ second: -1, tokens: 0 })),
      queueWaitsMs: [],
    });
    this.#models = { omega: none(), prism: none(), lambda: none() } satisfies Record<
      (typeof modelIds)[number],
      ModelRates
    >;
  }

  add(model: ModelId, completionTokens: number, queuedMs: number | undefined): void {
    const { seconds, queueWaitsMs } = this.#models[model];
    const second = this.#second();
    const place = second % windowSeconds;
    const entry = seconds[place];
    const tokens = entry?.second === second ? entry.tokens : 0;
    seconds[place] = { second, tokens: tokens + completionTokens };
    if (queuedMs === undefined) return;
    queueWaitsMs.push(queuedMs);
    if (queueWaitsMs.length > waitsKept) queueWaitsMs.shift();
  }

  tokensPerSecond(model: ModelId): number {
    const oldest = this.#second() - windowSeconds;
    const tokens = this.#models[model].seconds
      .filter((entry) => entry.second > oldest)
      .reduce((sum, entry) => sum + entry.tokens, 0);
    return Math.round((tokens / windowSeconds) * 10) / 10;
  }

  /** Null before the first request. */
  queueWaitMsP50(model: ModelId): number | null {
    const sorted = this.#models[model].queueWaitsMs.toSorted((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)];
    return middle === undefined ? null : Math.round(middle);
  }

  #second(): number {
    return Math.floor(this.clock.monotonicMs() / 1000);
  }
}
