/**
 * Rankings over long periods, kept for a minute. Adding up months of everybody's days takes a database some tenths of
 * a second, and changes little from one minute to the next. Ids and counts alone are kept: names are looked up each
 * time, so that a deleted account is not on a list any more. One is added up at a time, so that the other connections
 * stay free for those who wait for less.
 */
import { StoreUnavailable } from "../../../core/store.js";
import type { Clock } from "../../../core/clock.js";
import { Semaphore } from "../../../core/semaphore.js";

const keptMs = 60_000;
const mostKept = 32;
const mostWaiting = 16;
const longestWaitMs = 10_000;

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

export class KeptRankings {
  readonly #turns = new Semaphore({
    permits: 1,
    maxWaiting: mostWaiting,
    maxWaitMs: longestWaitMs,
    refusal: () => new StoreUnavailable(new Error("Too many rankings are asked for at once.")),
  });
  readonly #kept = new Map<string, { untilMs: number; ranking: Promise<Ranking> }>();

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Callers at the same time share one ranking. One that fails is not kept. */
  get(name: string, rank: () => Promise<Ranking>): Promise<Ranking> {
    const nowMs = this.clock.monotonicMs();
    const kept = this.#kept.get(name);
    if (kept !== undefined && nowMs < kept.untilMs) return kept.ranking;
    const ranking = this.#turns.run(rank);
    this.#kept.delete(name);
    this.#kept.set(name, { untilMs: nowMs + keptMs, ranking });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break;
      this.#kept.delete(oldest);
    }
    ranking.catch(() => {
      if (this.#kept.get(name)?.ranking === ranking) this.#kept.delete(name);
    });
    return ranking;
  }
}
