import { Limits } from "../../../src/core/limits/limits.js";
import { systemClock, type Clock } from "../../../src/core/clock.js";
import { MemoryAdmissions } from "../../../src/store/counters/memory-admissions.js";
import { MemoryCounter, MemoryLeases } from "../../../src/store/counters/memory-counter.js";

/** The limits of one process. */
export function memoryLimits(clock: Clock = systemClock): Limits {
  const leases = new MemoryLeases();
  return new Limits(new MemoryAdmissions(new MemoryCounter(clock), leases), leases);
}
