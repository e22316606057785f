/**
 * How fast a queue drains: the mean time between two departures, measured only while something waits. When nothing
 * waits, departures are as rare as requests, and a quiet night would look like a slow engine.
 *
 * Departures come in clumps where replies are equally long, so it is time over departures of the latest few dozen
 * rather than an average of single intervals. Until anything has waited, the rate is estimated from the length of the
 * runs: so many concurrently, each longer than when fewer ran.
 */

/** Departures that are remembered, at least: enough for several generations of concurrent runs. */
const fewestRemembered = 32;
const rememberedRounds = 4;

/** For an engine that has finished nothing yet: a reply of some hundred tokens. */
const usualRunMs = 4_000;

/** Runs whose mean length is kept. */
const rememberedRuns = 16;

/** An engine that runs many concurrently runs each at about half the speed. */
const slowerTogether = 2;

export class DrainRate {
  /** Departures while something waited, and how long they took in all; both fade with each departure. */
  #departures = 0;
  #busyMs = 0;
  /** Up to when `#busyMs` has counted; undefined while nothing waits. */
  #countedToMs: number | undefined;
  #runs = 0;
  #meanRunMs = usualRunMs;

  /** Call it whenever the queue becomes empty or non-empty. */
  setWaiting(anybody: boolean, nowMs: number): void {
    this.#count(nowMs);
    if (!anybody) this.#countedToMs = undefined;
    else this.#countedToMs ??= nowMs;
  }

  /** A run of this length ended, of so many that run at once. Call it before the next takes its place. */
  departed(runMs: number, capacity: number, nowMs: number): void {
    this.#runs = Math.min(this.#runs + 1, rememberedRuns);
    this.#meanRunMs += (runMs - this.#meanRunMs) / this.#runs;
    if (this.#countedToMs === undefined) return;
    this.#count(nowMs);
    const kept = 1 - 1 / Math.max(fewestRemembered, rememberedRounds * capacity);
    this.#departures = (this.#departures + 1) * kept;
    this.#busyMs *= kept;
  }

  /** Expected time between two departures while the queue is full. */
  intervalMs(capacity: number, nowMs: number): number {
    // While nothing departs the rate gets worse, though no departure shows it.
    const openMs = this.#countedToMs === undefined ? 0 : nowMs - this.#countedToMs;
    if (this.#departures > 0) {
      return Math.max(this.#busyMs / this.#departures, (this.#busyMs + openMs) / (this.#departures + 1));
    }
    return Math.max((slowerTogether * this.#meanRunMs) / Math.max(1, capacity), openMs);
  }

  #count(nowMs: number): void {
    if (this.#countedToMs === undefined) return;
    this.#busyMs += nowMs - this.#countedToMs;
    this.#countedToMs = nowMs;
  }
}
