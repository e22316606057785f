/** The engine host's time limits. Tests shorten them; they are not configuration. */
export const defaultTiming = {
  /** How long a request waits for an engine that is starting. */
  readyWaitMs: 15_000,
  /** The child is asked for a sign of life once a tick, and ended after so many ticks without one. */
  tickMs: 1000,
  silentTicks: 5,
  /** Restarts wait this long, doubling up to the second, until a child has been well for the third. */
  firstRestartMs: 250,
  slowestRestartMs: 30_000,
  healthyMs: 60_000,
  /** So many deaths in so much time are a loop: requests stop waiting for the next restart. */
  loopDeaths: 5,
  loopWindowMs: 60_000,
  /** What a child gets to end in order. */
  closeMs: 2000,
};
export type Timing = typeof defaultTiming;
