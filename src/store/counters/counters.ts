import type { Counter, Leases } from "../../core/ports.js";
import type { WakeUps } from "../../core/replicas/wake-ups.js";

/** Everything that replicas count and tell one another, wherever it is kept. */
export interface Counters {
  counter: Counter;
  leases: Leases;
  wakeUps: WakeUps;
  /** `away` while a Redis that is configured cannot be counted on, and limits are kept by shares. */
  health(): "ok" | "away";
  close(): Promise<void>;
}
