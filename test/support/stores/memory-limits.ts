import { type Clock, systemClock } from "../../../src/core/clock.js";
import { Limits } from "../../../src/core/limits/limits.js";
import { memoryCounters } from "../../../src/store/counters/memory-counters.js";

/** The limits of one process. */
export function memoryLimits(clock: Clock = systemClock): Limits {
  const { admissions, leases } = memoryCounters(clock);
  return new Limits(admissions, leases);
}
