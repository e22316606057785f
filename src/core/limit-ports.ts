/**
 * What serving needs from the counters: everything that admits a request in one step, and everything that settles it in
 * another. Where counters are shared, each step is one round trip.
 */
import type { CounterReading, Lease } from "./ports.js";

/** A window of a limit, and what is to be counted in it. */
export interface WindowAsk {
  name: string;
  /** 0: nothing is counted, but something must be left. */
  amount: number;
  limit: number;
  /** How long the window lasts if it opens now. */
  windowMs: number;
  /**
   * For windows that outlive the counters: what they counted before, asked for when no counter knows the window. Their
   * names must tell one window from the next. When it rejects, so does the admission, and nothing was counted.
   */
  initial?: (() => Promise<number>) | undefined;
}

export interface LeaseAsk {
  name: string;
  limit: number;
}

/**
 * What a request needs, in the order in which it is refused. No name twice. What is in `first` stays counted when
 * `leases` or `then` refuse; nothing else does.
 */
export interface AdmissionAsk {
  /** Counted in all of these windows, or in none. */
  first: readonly WindowAsk[];
  leases: readonly LeaseAsk[];
  /** Counted in all of these windows, or in none. */
  then: readonly WindowAsk[];
  /** Read, not counted. */
  read: readonly WindowAsk[];
}

export interface AdmissionAnswer {
  /** The first limit without room. */
  refusedBy: WindowAsk | LeaseAsk | null;
  /** Of each window by name, after a refusal too. */
  readings: ReadonlyMap<string, CounterReading>;
  /** One for all that were asked for; null where none was, or after a refusal. */
  lease: Lease | null;
}

export interface Correction {
  name: string;
  window: string;
  /** Added to what the window counted; may be negative. */
  amount: number;
  /** Added instead where the window was lost, and opened again with what it had counted before. */
  otherwise?: number | undefined;
}

/** Atomic where it is shared: a parallel burst never gets more than the limits. */
export interface Admissions {
  admit(ask: AdmissionAsk): Promise<AdmissionAnswer>;
  /**
   * Corrects windows that are still open, and releases the lease. Never rejects for a counter that is unreachable.
   * Resolves to false where other servers will know of it from the database alone: it should be written soon.
   */
  settle(corrections: readonly Correction[], lease: Lease | null): Promise<boolean>;
  /** Whether `recall` knows what was counted, so that a request can be let in on it and counted later. */
  readonly canRecall: boolean;
  /** What the window had counted when it was last heard of here; 0 when nothing is known. Asks nobody. */
  recall(name: string): number;
  /** How many leases of the name are known to be held. Asks nobody. */
  recallHeld(name: string): number;
}
