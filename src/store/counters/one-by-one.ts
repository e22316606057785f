/**
 * Admissions counted limit by limit, for counters of Redis while each replica counts its share alone. What a later limit
 * refuses is given back by the earlier ones of its group.
 */
import type {
  AdmissionAnswer,
  AdmissionAsk,
  Admissions,
  Correction,
  LeaseAsk,
  WindowAsk,
} from "../../core/limit-ports.js";
import type { Counter, CounterReading, Lease, Leases } from "../../core/ports.js";

export class OneByOne implements Admissions {
  readonly canRecall = false;

  constructor(
    private readonly counter: Counter,
    private readonly leases: Leases,
  ) {}

  async admit({ first, leases, then, read }: AdmissionAsk): Promise<AdmissionAnswer> {
    // Before anything is counted: it may fail.
    for (const ask of [...first, ...then, ...read]) if (ask.initial !== undefined) await this.#know(ask);
    const readings = new Map<string, CounterReading>();
    for (const { name, limit, windowMs } of read) {
      readings.set(name, await this.counter.read(name, limit, windowMs));
    }
    const refusal = await this.#take(first, readings);
    if (refusal !== null) return this.#refused(refusal, then, readings);
    const { lease, refusedBy } = await this.#acquire(leases);
    if (refusedBy !== null) return this.#refused(refusedBy, then, readings);
    const late = await this.#take(then, readings);
    if (late === null) return { refusedBy: null, readings, lease };
    lease?.release();
    return this.#refused(late, then, readings);
  }

  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<void> {
    for (const { name, window, amount } of corrections) await this.counter.adjust(name, window, amount);
    lease?.release();
  }

  /** Nothing has to be remembered where asking costs nothing. */
  recall(): number {
    return 0;
  }

  recallHeld(): number {
    return 0;
  }

  async #refused(
    refusedBy: WindowAsk | LeaseAsk,
    unread: readonly WindowAsk[],
    readings: Map<string, CounterReading>,
  ): Promise<AdmissionAnswer> {
    for (const { name, limit, windowMs } of unread) {
      if (!readings.has(name)) readings.set(name, await this.counter.read(name, limit, windowMs));
    }
    return { refusedBy, readings, lease: null };
  }

  async #know({ name, windowMs, initial }: WindowAsk): Promise<void> {
    if (initial === undefined || (await this.counter.isOpen(name))) return;
    await this.counter.open(name, windowMs, await initial());
  }

  /** The window that has no room; null when all were counted. */
  async #take(asks: readonly WindowAsk[], readings: Map<string, CounterReading>): Promise<WindowAsk | null> {
    const taken: Correction[] = [];
    for (const ask of asks) {
      const { name, amount, limit, windowMs } = ask;
      const reading =
        amount === 0
          ? await this.counter.read(name, limit, windowMs)
          : await this.counter.take(name, amount, limit, windowMs);
      readings.set(name, reading);
      if (!reading.admitted) {
        await this.settle(taken, null);
        return ask;
      }
      taken.push({ name, window: reading.window, amount: -amount });
    }
    return null;
  }

  async #acquire(asks: readonly LeaseAsk[]): Promise<{ lease: Lease | null; refusedBy: LeaseAsk | null }> {
    const held: Lease[] = [];
    const release = () => {
      for (const lease of held) lease.release();
    };
    for (const ask of asks) {
      const lease = await this.leases.acquire(ask.name, ask.limit);
      if (lease === null) {
        release();
        return { lease: null, refusedBy: ask };
      }
      held.push(lease);
    }
    return { lease: held.length === 0 ? null : { release }, refusedBy: null };
  }
}
