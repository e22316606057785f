import { systemClock, type Clock } from "../../src/core/clock.js";

/** Moved back for the time in which the past is made. */
export class PastClock implements Clock {
  agoMs = 0;
  now = (): Date => new Date(systemClock.now().getTime() - this.agoMs);
  monotonicMs = (): number => systemClock.monotonicMs();
}

export const question = "Explain backpressure in one paragraph, for someone who knows queues.";
export const answer =
  "Backpressure is what a system does when work arrives faster than it can be finished. Instead of letting the queue " +
  "grow until memory runs out, the slow part tells the fast part to wait: a full buffer stops reading, the socket " +
  "behind it fills, and in the end the sender pauses. **The signal travels upstream**, and each stage holds only as " +
  "much as it can handle. `write()` returning `false` in Node is one such signal.";

/** Office hours, quiet nights and weekends: from nearly none to 1. */
export function busynessAt(time: Date): number {
  const isWeekend = time.getUTCDay() === 0 || time.getUTCDay() === 6;
  const daylight = Math.max(0, Math.sin(((time.getUTCHours() - 5) / 15) * Math.PI));
  return (0.03 + 0.97 * daylight) * (isWeekend ? 0.35 : 1);
}
