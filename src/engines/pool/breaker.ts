/**
 * Keeps work from a member that fails. Closed: work flows, outcomes are noted. Open: none, for a time that
 * doubles with each relapse. Then half-open: one piece of work is let through as a probe; if it succeeds the
 * breaker closes, if it fails it opens again.
 *
 * It opens after several failures in a row, or when many of the latest outcomes were failures.
 */
import type { Clock } from "../../core/clock.js";

export const defaultBreakerLimits = {
  failuresInRow: 3,
  /** How many of the latest outcomes count, and the share of failures that opens the breaker. */
  window: 20,
  failureShare: 0.5,
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
};
export type BreakerLimits = typeof defaultBreakerLimits;

export type BreakerState = "closed" | "open" | "half-open";

export class Breaker {
  #openUntilMs: number | null = null;
  #pauseMs: number;
  #inRow = 0;
  #latest: boolean[] = [];
  #probing = false;

  constructor(
    private readonly clock: Clock,
    private readonly limits: BreakerLimits = defaultBreakerLimits,
  ) {
    this.#pauseMs = limits.firstPauseMs;
  }

  get state(): BreakerState {
    if (this.#openUntilMs === null) return "closed";
    return this.clock.monotonicMs() < this.#openUntilMs ? "open" : "half-open";
  }

  get allows(): boolean {
    const { state } = this;
    return state === "closed" || (state === "half-open" && !this.#probing);
  }

  /** Work is sent. Each call is followed by one of the three below. */
  begin(): void {
    if (this.state === "half-open") this.#probing = true;
  }

  succeed(): void {
    this.#probing = false;
    this.#inRow = 0;
    this.#note(true);
    if (this.#openUntilMs === null || this.state === "open") return;
    this.#openUntilMs = null;
    this.#pauseMs = this.limits.firstPauseMs;
    this.#latest = [];
  }

  fail(): void {
    this.#probing = false;
    this.#inRow += 1;
    this.#note(false);
    const { state, limits } = this;
    // What was begun before it opened says nothing new.
    if (state === "open") return;
    if (state === "half-open") this.#pauseMs = Math.min(limits.longestPauseMs, this.#pauseMs * 2);
    else if (this.#inRow < limits.failuresInRow && !this.#failsOften()) return;
    this.#openUntilMs = this.clock.monotonicMs() + this.#pauseMs;
    this.#latest = [];
  }

  /** It ended in a way that says nothing about the member: the client left, or the request was invalid. */
  forget(): void {
    this.#probing = false;
  }

  #note(good: boolean): void {
    this.#latest.push(good);
    if (this.#latest.length > this.limits.window) this.#latest.shift();
  }

  #failsOften(): boolean {
    const failures = this.#latest.filter((good) => !good).length;
    const { window, failureShare } = this.limits;
    return this.#latest.length >= window && failures / this.#latest.length >= failureShare;
  }
}
