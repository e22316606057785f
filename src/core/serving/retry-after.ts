/**
 * When clients that were refused by a full queue should retry, so that they find room then.
 *
 * Each refused client gets a slot in time behind those who wait and those who were refused before, spaced as the queue
 * drains. Slots expire with time whether or not the client returns, so nothing has to be remembered about clients.
 * Retry-After is in whole seconds and many retry at the same moment, so no second gets more slots
 * than the queue and the engine hold together.
 *
 * No value exceeds `longestSeconds`. When the slots reach that far, the next client starts at the front again:
 * not all can be served, but spreading them out serves more than letting all retry at the same moment.
 */

/** openai-node ignores 60 and more, and retries immediately instead. */
const longestSeconds = 59;
const horizonMs = longestSeconds * 1000;

export interface QueueState {
  /** Requests that wait. */
  ahead: number;
  /** Expected time between two departures. */
  intervalMs: number;
  /** How many can wait and run together. */
  room: number;
}

export class RetryAfter {
  /** The latest slot that was given out. */
  #latestMs = 0;

  /** Seconds from now for the next refused client. */
  next({ ahead, intervalMs, room }: QueueState, nowMs: number): number {
    // For a queue that drains too slowly, slots are spread over the values that can be sent.
    const frontMs = nowMs + Math.min(ahead * intervalMs, horizonMs / 2);
    const stepMs = Math.max(intervalMs, 1000 / Math.max(1, room));
    const behindMs = Math.max(frontMs, this.#latestMs) + stepMs;
    const slotMs = behindMs > nowMs + horizonMs ? frontMs + stepMs : behindMs;
    this.#latestMs = slotMs;
    return Math.min(longestSeconds, Math.max(1, Math.ceil((slotMs - nowMs) / 1000)));
  }
}
