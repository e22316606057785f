/**
 * Admissions counted in this process. Nothing here waits, except for what a quota had counted before a restart: so an
 * admission is one step, and a parallel burst cannot come in between.
 *
 * One process admits the whole of every limit. Of several that cannot ask one another, since their Redis is unreachable,
 * each admits its share: a limit divided by their number, at least 1, and of a quota what the database says is left,
 * divided likewise. What a process admitted is not known to the others, so a limit below their number is exceeded.
 */
import type {
  AdmissionAnswer,
  AdmissionAsk,
  Admissions,
  Correction,
  LeaseAsk,
  WindowAsk,
  CounterReading,
  Lease,
} from "../../core/counters.js";
import type { HashedName, LocalLeases, MemoryCounter } from "./memory-counter.js";

type Readings = Map<string, CounterReading>;

export interface Shares {
  /** How many processes divide every limit. */
  replicas: () => number;
  hash: (name: string) => HashedName;
}

export class MemoryAdmissions implements Admissions {
  readonly canRecall = true;
  readonly #replicas: Shares["replicas"];
  readonly #hash: Shares["hash"];

  constructor(
    private readonly counter: MemoryCounter,
    private readonly leases: LocalLeases,
    shares?: Shares,
  ) {
    this.#replicas = shares?.replicas ?? (() => 1);
    this.#hash = shares?.hash ?? ((name) => counter.hashedOften(name));
  }

  async admit(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    // Before anything is counted: it may fail.
    for (const window of ask.then) if (this.#isUnknown(window)) await this.#know(window);
    for (const window of ask.read) if (this.#isUnknown(window)) await this.#know(window);
    for (const window of ask.first) if (this.#isUnknown(window)) await this.#know(window);
    return this.#admitNow(ask);
  }

  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<boolean> {
    for (const { name, window, amount, otherwise } of corrections) {
      this.counter.adjustNow(this.#hash(name), window, amount, otherwise);
    }
    lease?.release();
    return true;
  }

  recall(name: string): number {
    return this.counter.countNow(this.#hash(name));
  }

  recallHeld(name: string): number {
    return this.leases.heldNow(name);
  }

  #admitNow({ first, leases, then, read }: AdmissionAsk): AdmissionAnswer {
    const readings: Readings = new Map();
    for (const ask of read) this.#read(ask, readings);
    const held: Lease[] = [];
    const refusedBy =
      this.#take(first, readings) ?? this.#acquire(leases, held) ?? this.#take(then, readings);
    if (refusedBy === null) return { refusedBy, readings, lease: oneOf(held) };
    for (const lease of held) lease.release();
    for (const ask of then) if (!readings.has(ask.name)) this.#read(ask, readings);
    return { refusedBy, readings, lease: null };
  }

  #isUnknown({ name, initial }: WindowAsk): boolean {
    return initial !== undefined && !this.counter.isOpenNow(this.#hash(name));
  }

  async #know({ name, windowMs, initial }: WindowAsk): Promise<void> {
    const count = (await initial?.()) ?? 0;
    this.counter.openNow(this.#hash(name), windowMs, Math.ceil(count / this.#replicas()));
  }

  #read({ name, limit, windowMs }: WindowAsk, readings: Readings): void {
    readings.set(name, this.counter.readNow(this.#hash(name), this.#shareOf(limit), windowMs));
  }

  /** The window that has no room: then nothing was counted in any of them. Null when all were counted. */
  #take(asks: readonly WindowAsk[], readings: Readings): WindowAsk | null {
    for (const [index, ask] of asks.entries()) {
      const { name, amount, limit, windowMs } = ask;
      const [hashedName, share] = [this.#hash(name), this.#shareOf(limit)];
      const reading =
        amount === 0
          ? this.counter.readNow(hashedName, share, windowMs)
          : this.counter.takeNow(hashedName, amount, share, windowMs);
      readings.set(name, reading);
      if (reading.admitted) continue;
      for (const taken of asks.slice(0, index)) {
        this.counter.adjustNow(this.#hash(taken.name), readings.get(taken.name)?.window ?? "", -taken.amount);
      }
      return ask;
    }
    return null;
  }

  /** The lease that is not to be had; null when all were added to `held`. */
  #acquire(asks: readonly LeaseAsk[], held: Lease[]): LeaseAsk | null {
    for (const ask of asks) {
      const lease = this.leases.acquireNow(ask.name, this.#shareOf(ask.limit));
      if (lease === null) return ask;
      held.push(lease);
    }
    return null;
  }

  #shareOf(limit: number): number {
    return limit === 0 ? 0 : Math.max(1, Math.floor(limit / this.#replicas()));
  }
}

function oneOf(held: readonly Lease[]): Lease | null {
  const [first, ...others] = held;
  if (first === undefined || others.length === 0) return first ?? null;
  return {
    release: () => {
      for (const lease of held) lease.release();
    },
  };
}
