import type { Admissions, Counter, Leases } from "../../core/counters.js";
import type { WakeUps } from "../../core/replicas/wake-ups.js";
import type { RedisTrouble } from "./redis-trouble.js";

/** Everything that replicas count and tell one another, wherever it is kept. */
export interface Counters {
  counter: Counter;
  leases: Leases;
  /** Counts with both. */
  admissions: Admissions;
  wakeUps: WakeUps;
  /**
   * While a Redis that is configured cannot be counted on, each replica enforces its share of every limit.
   * `refusing`: it answers, but refuses commands.
   */
  health(): "ok" | RedisTrouble["kind"];
  /** Why; null while all is well. */
  trouble(): RedisTrouble | null;
  close(): Promise<void>;
}
