import { noWakeUps } from "../../core/replicas/wake-ups.js";
import type { Clock } from "../../core/clock.js";
import type { Counters } from "./counters.js";
import { MemoryAdmissions } from "./memory-admissions.js";
import { MemoryLeases } from "./memory-leases.js";
import { MemoryWindows } from "./memory-windows.js";
import { WindowCounter } from "./window-counter.js";

/** For an installation of one server. */
export function memoryCounters(clock: Clock): Counters {
  const windows = new MemoryWindows(clock);
  const leases = new MemoryLeases();
  const admissions = new MemoryAdmissions(windows, leases);
  return {
    counter: new WindowCounter(admissions),
    leases,
    admissions,
    wakeUps: noWakeUps,
    health: () => "ok",
    trouble: () => null,
    close: async () => windows.close(),
  };
}
