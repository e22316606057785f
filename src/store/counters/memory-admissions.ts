/**
 * Admissions counted in this process. Only asking the database what a quota had counted before takes time, so the
 * rest of an admission is atomic: no other of a parallel burst comes in between.
 *
 * A server on its own admits the whole of every limit. Of several replicas whose Redis is unreachable, each admits
 * its share: a limit divided by their number, at least 1; of a quota, what the database says is left, divided
 * likewise. They do not know what the others admit, so a limit below their number is exceeded.
 */
import type {
  AdmissionAnswer,
  AdmissionAsk,
  Admissions,
  Correction,
  CounterReading,
  Lease,
  LeaseAsk,
  WindowAsk,
} from "../../core/counters.js";
import type { LocalLeases } from "./memory-leases.js";
import type { MemoryWindows } from "./memory-windows.js";

type Readings = Map<string, CounterReading>;

export class MemoryAdmissions implements Admissions {
  readonly canRecall = true;

  constructor(
    private readonly windows: MemoryWindows,
    private readonly leases: LocalLeases,
    /** How many processes divide every limit. */
    private readonly replicas: () => number = () => 1,
  ) {}

  async admit(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    // Before anything is counted: it may fail. Without `await` where nothing is to be opened.
    for (const window of ask.then) if (this.#isUnknown(window)) await this.#open(window);
    for (const window of ask.read) if (this.#isUnknown(window)) await this.#open(window);
    for (const window of ask.first) if (this.#isUnknown(window)) await this.#open(window);
    return this.#admitNow(ask);
  }

  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<boolean> {
    for (const { name, window, amount, otherwise } of corrections) {
      this.windows.adjust(name, window, amount, otherwise);
    }
    lease?.release();
    return true;
  }

  async held(name: string): Promise<number> {
    return this.leases.heldHere(name);
  }

  recall(name: string): number {
    return this.windows.count(name);
  }

  recallHeld(name: string): number {
    return this.leases.heldHere(name);
  }

  #admitNow({ first, leases, then, read }: AdmissionAsk): AdmissionAnswer {
    const readings: Readings = new Map();
    for (const ask of read) this.#read(ask, readings);
    const held: Lease[] = [];
    const refusedBy =
      this.#take(first, readings) ?? this.#acquire(leases, held) ?? this.#take(then, readings);
    if (refusedBy === null) return { refusedBy, readings, lease: joined(held) };
    for (const lease of held) lease.release();
    for (const ask of then) if (!readings.has(ask.name)) this.#read(ask, readings);
    return { refusedBy, readings, lease: null };
  }

  #isUnknown({ name, initial }: WindowAsk): boolean {
    return initial !== undefined && !this.windows.isOpen(name);
  }

  async #open({ name, windowMs, initial }: WindowAsk): Promise<void> {
    const count = (await initial?.()) ?? 0;
    this.windows.openRecorded(name, windowMs, Math.ceil(count / this.replicas()));
  }

  #read({ name, limit, windowMs }: WindowAsk, readings: Readings): void {
    readings.set(name, this.windows.read(name, this.#shareOf(limit), windowMs));
  }

  /** Returns the window without room: then nothing was counted in any of them. Null when all were counted. */
  #take(asks: readonly WindowAsk[], readings: Readings): WindowAsk | null {
    for (const [index, ask] of asks.entries()) {
      const { name, amount, windowMs } = ask;
      const share = this.#shareOf(ask.limit);
      const reading =
        amount === 0
          ? this.windows.read(name, share, windowMs)
          : this.windows.take(name, amount, share, windowMs);
      readings.set(name, reading);
      if (reading.admitted) continue;
      for (const taken of asks.slice(0, index)) {
        this.windows.adjust(taken.name, readings.get(taken.name)?.window ?? "", -taken.amount);
      }
      return ask;
    }
    return null;
  }

  /** Returns the lease that is refused; null when all were added to `held`. */
  #acquire(asks: readonly LeaseAsk[], held: Lease[]): LeaseAsk | null {
    for (const ask of asks) {
      const lease = this.leases.acquire(ask.name, this.#shareOf(ask.limit));
      if (lease === null) return ask;
      held.push(lease);
    }
    return null;
  }

  #shareOf(limit: number): number {
    return limit === 0 ? 0 : Math.max(1, Math.floor(limit / this.replicas()));
  }
}

function joined(held: readonly Lease[]): Lease | null {
  const [first, ...others] = held;
  if (first === undefined || others.length === 0) return first ?? null;
  return {
    release: () => {
      for (const lease of held) lease.release();
    },
  };
}
