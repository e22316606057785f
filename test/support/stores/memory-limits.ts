import { type Clock, systemClock } from "../../../src/core/clock.js";
import { Limits } from "../../../src/core/limits/limits.js";
import { memoryCounters } from "../../../src/store/counters/counters.js";

/** The limits of one process. */
export function memoryLimits(clock: Clock = systemClock): Limits {
  return new Limits(memoryCounters(clock).admissions);
}
