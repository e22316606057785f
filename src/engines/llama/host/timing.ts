/** The engine host's time limits. Tests shorten them; they are not configuration. */
export interface Timing {
  /** How long a request waits for an engine that is starting. */
  readyWaitMs: number;
  /** The child is asked for a sign of life once a tick, and ended after so many ticks without one. */
  tickMs: number;
  silentTicks: number;
  /** Restarts wait this long, doubling up to the second, until a child has been well for the third. */
  firstRestartMs: number;
  slowestRestartMs: number;
  healthyMs: number;
  /** So many deaths in so much time are a loop: requests stop waiting for the next restart. */
  loopDeaths: number;
  loopWindowMs: number;
  /** What a child gets to end in order. */
  closeMs: number;
}

export const defaultTiming: Timing = {
  readyWaitMs: 15_000,
  tickMs: 1000,
  silentTicks: 5,
  firstRestartMs: 250,
  slowestRestartMs: 30_000,
  healthyMs: 60_000,
  loopDeaths: 5,
  loopWindowMs: 60_000,
  closeMs: 2000,
};
