/** What limits are counted in, for one process or shared by replicas through Redis. */
import type { Clock } from "../../core/clock.js";
import type { Admissions } from "../../core/counters.js";
import type { SharedUses } from "../../core/proof/single-use.js";
import { noWakeUps, type WakeUps } from "../../core/replicas/wake-ups.js";
import { MemoryAdmissions } from "./memory-admissions.js";
import { MemoryLeases } from "./memory-leases.js";
import { MemoryWindows } from "./memory-windows.js";
import type { RedisFailure } from "./redis-failure.js";

export interface Counters {
  admissions: Admissions;
  wakeUps: WakeUps;
  /** Null where there are no other replicas to share them with. */
  uses: SharedUses | null;
  /** Why the configured Redis is unusable; each replica then enforces its share of every limit. Null otherwise. */
  failure(): RedisFailure | null;
  close(): Promise<void>;
}

/** For an installation of one server. */
export function memoryCounters(clock: Clock): Counters {
  const windows = new MemoryWindows(clock);
  return {
    admissions: new MemoryAdmissions(windows, new MemoryLeases()),
    wakeUps: noWakeUps,
    uses: null,
    failure: () => null,
    close: async () => windows.close(),
  };
}
