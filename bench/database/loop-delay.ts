/** Event-loop delay, from Node's own histogram. */
import { monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 1;

export interface LoopDelay {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** While `work` runs. */
export async function loopDelayDuring(work: () => Promise<void>): Promise<LoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  await work();
  histogram.disable();
  // The histogram includes its own sampling interval.
  const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    p50Ms: delayMs(histogram.percentile(50)),
    p99Ms: delayMs(histogram.percentile(99)),
    maxMs: delayMs(histogram.max),
  };
}
