import { Limits } from "../../../src/core/serving/limits.js";
import { systemClock, type Clock } from "../../../src/core/ports.js";
import { memoryCounters } from "../../../src/store/counters/memory-counters.js";

/** The limits of one process. */
export function memoryLimits(clock: Clock = systemClock): Limits {
  const { admissions, leases } = memoryCounters(clock);
  return new Limits(admissions, leases);
}
