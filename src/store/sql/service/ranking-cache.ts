/**
 * Rankings over long periods, cached for a minute. Adding up months of all accounts' days takes a database some tenths
 * of a second, and changes little from one minute to the next. Only ids and counts are cached: names are looked up each
 * time, so that a deleted account is no longer on a list. One ranking is computed at a time, so that the other
 * connections stay free for shorter queries.
 */
import type { Clock } from "../../../core/clock.js";
import { Semaphore } from "../../../core/semaphore.js";
import { StoreUnavailable } from "../../../core/store.js";

const liveMs = 60_000;
const maxEntries = 32;
const maxWaiting = 16;
const maxWaitMs = 10_000;

export interface TopRow {
  account_id: string;
  key_id: string;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

export interface Ranking {
  accounts: readonly Omit<TopRow, "key_id">[];
  keys: readonly TopRow[];
}

export class RankingCache {
  readonly #computing = new Semaphore({
    permits: 1,
    maxWaiting,
    maxWaitMs,
    refusal: () => new StoreUnavailable(new Error("Too many rankings are being computed.")),
  });
  readonly #entries = new Map<string, { untilMs: number; ranking: Promise<Ranking> }>();

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Concurrent callers share one ranking. One that fails is not cached. */
  get(name: string, rank: () => Promise<Ranking>): Promise<Ranking> {
    const nowMs = this.clock.monotonicMs();
    const cached = this.#entries.get(name);
    if (cached !== undefined && nowMs < cached.untilMs) return cached.ranking;
    const ranking = this.#computing.run(rank);
    this.#entries.delete(name);
    this.#entries.set(name, { untilMs: nowMs + liveMs, ranking });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#entries.delete(oldest);
    }
    ranking.catch(() => {
      if (this.#entries.get(name)?.ranking === ranking) this.#entries.delete(name);
    });
    return ranking;
  }
}
