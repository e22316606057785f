/**
 * When clients that were refused by a full queue should retry, so that they find room then.
 *
 * Each gets a place in time behind those who wait and behind those who were told before, as far apart as the queue
 * drains. Places pass with time whether or not anybody comes, so those who do not return are forgotten by
 * themselves. A client is told whole seconds and many retry at the same moment, so no second gets more places
 * than the queue and the engine hold together.
 *
 * No one is told more than `longestSeconds`. When the places reach that far, the next round begins at the front:
 * not all of them can be served, and spread out more can be than at once.
 */

/** openai-node ignores 60 and more, and retries at once instead. */
const longestSeconds = 59;
const horizonMs = longestSeconds * 1000;

export interface QueueState {
  /** Those who wait. */
  ahead: number;
  /** Expected time between two departures. */
  intervalMs: number;
  /** How many can wait and run at once. */
  room: number;
}

export class RetryAfter {
  /** The latest place that was given out. */
  #latestMs = 0;

  /** Seconds from now for the next refused client. */
  next({ ahead, intervalMs, room }: QueueState, nowMs: number): number {
    // A queue that drains too slowly to tell: spread over what can be told.
    const frontMs = nowMs + Math.min(ahead * intervalMs, horizonMs / 2);
    const stepMs = Math.max(intervalMs, 1000 / Math.max(1, room));
    const behindMs = Math.max(frontMs, this.#latestMs) + stepMs;
    const placeMs = behindMs > nowMs + horizonMs ? frontMs + stepMs : behindMs;
    this.#latestMs = placeMs;
    return Math.min(longestSeconds, Math.max(1, Math.ceil((placeMs - nowMs) / 1000)));
  }
}
