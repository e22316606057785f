import type { Admissions, Counter, Leases } from "../../core/counters.js";
import type { WakeUps } from "../../core/replicas/wake-ups.js";
import type { RedisTrouble } from "./redis-trouble.js";

/** Limits, leases and wake-ups: of one process, or shared by replicas. */
export interface Counters {
  counter: Counter;
  leases: Leases;
  admissions: Admissions;
  wakeUps: WakeUps;
  /**
   * While the configured Redis is unusable, each replica enforces its share of every limit.
   * `refusing`: it answers, but refuses commands.
   */
  health(): "ok" | RedisTrouble["kind"];
  /** The cause; null while healthy. */
  trouble(): RedisTrouble | null;
  close(): Promise<void>;
}
