/** Passed in so that tests need not wait. */
export interface Clock {
  /** Wall time, for what people read and for expiry. */
  now(): Date;
  /** Milliseconds that only ever go forward, for durations and windows. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
