import type { Timing } from "./timing.js";

/** When to start the next child, and whether it is worth waiting for. */
export class RestartPolicy {
  #attempts = 0;
  #recentDeathsMs: number[] = [];
  /** Children die in a loop: requests are refused at once instead of waiting for the next one. */
  looping = false;

  constructor(private readonly timing: Timing) {}

  /** How long to wait before the next start, after a death of a child that could answer for `healthyMs`. */
  delayAfterDeath(nowMs: number, healthyMs: number): number {
    const { timing } = this;
    if (healthyMs >= timing.healthyMs) {
      this.#attempts = 0;
      this.looping = false;
      this.#recentDeathsMs = [];
    }
    this.#recentDeathsMs = this.#recentDeathsMs.filter((deathMs) => nowMs - deathMs < timing.loopWindowMs);
    this.#recentDeathsMs.push(nowMs);
    if (this.#recentDeathsMs.length >= timing.loopDeaths) this.looping = true;
    return Math.min(timing.firstRestartMs * 2 ** this.#attempts++, timing.slowestRestartMs);
  }
}
