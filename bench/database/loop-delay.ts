/** How long the event loop is held up, by Node's own histogram. */
import { monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 1;

export interface LoopDelay {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Of the time that `work` takes. */
export async function loopDelayDuring(work: () => Promise<void>): Promise<LoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  await work();
  histogram.disable();
  // What it measures includes the interval that it waits by itself.
  const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    p50Ms: delayMs(histogram.percentile(50)),
    p99Ms: delayMs(histogram.percentile(99)),
    maxMs: delayMs(histogram.max),
  };
}
