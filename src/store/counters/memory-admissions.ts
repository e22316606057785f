/**
 * Admissions counted in this process. Nothing here waits, except for what a quota had counted before a restart: so an
 * admission is one step, and a parallel burst cannot come in between.
 */
import type {
  AdmissionAnswer,
  AdmissionAsk,
  Admissions,
  Correction,
  LeaseAsk,
  WindowAsk,
} from "../../core/limit-ports.js";
import type { CounterReading, Lease } from "../../core/ports.js";
import type { MemoryCounter, MemoryLeases } from "./memory-counter.js";

type Readings = Map<string, CounterReading>;

export class MemoryAdmissions implements Admissions {
  readonly canRecall = true;

  constructor(
    private readonly counter: MemoryCounter,
    private readonly leases: MemoryLeases,
  ) {}

  async admit(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    // Before anything is counted: it may fail.
    for (const window of ask.then) if (this.#isUnknown(window)) await this.#know(window);
    for (const window of ask.read) if (this.#isUnknown(window)) await this.#know(window);
    for (const window of ask.first) if (this.#isUnknown(window)) await this.#know(window);
    return this.#admitNow(ask);
  }

  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<void> {
    for (const { name, window, amount } of corrections)
      this.counter.adjustNow(this.counter.hashedOften(name), window, amount);
    lease?.release();
  }

  recall(name: string): number {
    return this.counter.countNow(this.counter.hashedOften(name));
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
    return initial !== undefined && !this.counter.isOpenNow(this.counter.hashedOften(name));
  }

  async #know({ name, windowMs, initial }: WindowAsk): Promise<void> {
    await this.counter.open(name, windowMs, (await initial?.()) ?? 0);
  }

  #read({ name, limit, windowMs }: WindowAsk, readings: Readings): void {
    readings.set(name, this.counter.readNow(this.counter.hashedOften(name), limit, windowMs));
  }

  /** The window that has no room: then nothing was counted in any of them. Null when all were counted. */
  #take(asks: readonly WindowAsk[], readings: Readings): WindowAsk | null {
    for (const [index, ask] of asks.entries()) {
      const { name, amount, limit, windowMs } = ask;
      const hashedName = this.counter.hashedOften(name);
      const reading =
        amount === 0
          ? this.counter.readNow(hashedName, limit, windowMs)
          : this.counter.takeNow(hashedName, amount, limit, windowMs);
      readings.set(name, reading);
      if (reading.admitted) continue;
      for (const taken of asks.slice(0, index)) {
        this.counter.adjustNow(
          this.counter.hashedOften(taken.name),
          readings.get(taken.name)?.window ?? "",
          -taken.amount,
        );
      }
      return ask;
    }
    return null;
  }

  /** The lease that is not to be had; null when all were added to `held`. */
  #acquire(asks: readonly LeaseAsk[], held: Lease[]): LeaseAsk | null {
    for (const ask of asks) {
      const lease = this.leases.acquireNow(ask.name, ask.limit);
      if (lease === null) return ask;
      held.push(lease);
    }
    return null;
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
