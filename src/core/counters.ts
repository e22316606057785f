/**
 * What limits are counted in. Admitting a request is one step and settling it another: where counters are shared, each
 * is one round trip.
 */

export interface CounterReading {
  /** False when the amount did not fit; nothing was counted then. */
  admitted: boolean;
  /** What the window has counted. */
  count: number;
  /** What can still be taken here and now; less than the limit leaves where several share it unseen. */
  remaining: number;
  /** Until the window ends and the whole limit is free again. */
  resetMs: number;
  /** Names the window that was counted in, for a later correction. */
  window: string;
}

/** A permission to run, one of a bounded number. One that is never released expires. */
export interface Lease {
  /** Safe to call more than once; never rejects. */
  release(): void;
}

/** How names begin that say more of someone than an id: where they would be kept, a hash of them is. */
export const personalName = "throttle:";

/** A window of fixed length, which opens at the first count, and what is to be counted in it. */
export interface WindowAsk {
  name: string;
  /** 0: nothing is counted, but something must be left. */
  amount: number;
  limit: number;
  /** How long the window lasts if it opens now. */
  windowMs: number;
  /**
   * For windows that outlive the counters: what they counted before, requested when no counter knows the window. Their
   * names must differ from one window to the next. When it rejects, so does the admission, and nothing was counted.
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
  /** One for all requested leases; null where none was requested, or after a refusal. */
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
   * Resolves to false where other servers can learn of it only from the database: it should be written soon.
   */
  settle(corrections: readonly Correction[], lease: Lease | null): Promise<boolean>;
  /** How many leases of the name are held. */
  held(name: string): Promise<number>;
  /** Whether `recall` knows what was counted, so that a request can be admitted on it and counted later. */
  readonly canRecall: boolean;
  /** What the window had counted at this replica's last reading; 0 when nothing is known. Local. */
  recall(name: string): number;
  /** How many leases of the name are known to be held. Local. */
  recallHeld(name: string): number;
}
