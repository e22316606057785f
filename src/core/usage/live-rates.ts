/**
 * How the models perform right now, for the admin page: tokens a second over the last ten, counted as they are
 * produced, and the median of the last waits in the queue. Models that share an engine are read together. Kept in
 * memory only and bounded; a restart begins with nothing.
 */
import type { Clock } from "../clock.js";
import { forEachModel, type ModelId } from "../models.js";

const windowSeconds = 10;
const waitsKept = 200;

interface ModelRates {
  /** Tokens by second, in a ring: the entry of a second that is long over is taken by a new one. */
  seconds: { second: number; tokens: number }[];
  /** The last of them, in a ring. */
  queueWaitsMs: number[];
  waits: number;
}

export class LiveRates {
  readonly #models = forEachModel<ModelRates>(() => ({
    seconds: Array.from({ length: windowSeconds }, () => ({ second: -1, tokens: 0 })),
    queueWaitsMs: [],
    waits: 0,
  }));

  constructor(private readonly clock: Clock) {}

  /** Called for every fragment of a reply: it only adds to a number. */
  addTokens(model: ModelId, tokens: number): void {
    const second = Math.floor(this.clock.monotonicMs() / 1000);
    const entry = this.#models[model].seconds[second % windowSeconds];
    if (entry === undefined) return;
    if (entry.second !== second) {
      entry.second = second;
      entry.tokens = 0;
    }
    entry.tokens += tokens;
  }

  addWait(model: ModelId, queuedMs: number): void {
    const rates = this.#models[model];
    rates.queueWaitsMs[rates.waits % waitsKept] = queuedMs;
    rates.waits += 1;
  }

  /** Of these models together, over the whole seconds of the window and what has passed of the present one. */
  tokensPerSecond(models: readonly ModelId[]): number {
    const now = this.clock.monotonicMs() / 1000;
    const oldest = Math.floor(now) - windowSeconds + 1;
    const tokens = models
      .flatMap((model) => this.#models[model].seconds)
      .filter((entry) => entry.second >= oldest)
      .reduce((sum, entry) => sum + entry.tokens, 0);
    return Math.round((tokens / (now - oldest)) * 10) / 10;
  }

  /** Null before the first request. */
  queueWaitMsP50(models: readonly ModelId[]): number | null {
    const sorted = models.flatMap((model) => this.#models[model].queueWaitsMs).sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)];
    return middle === undefined ? null : Math.round(middle);
  }
}
