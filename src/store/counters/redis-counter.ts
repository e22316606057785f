/** Counts one window at a time, for sign-in throttles: an admission that asks for nothing else. */
import type { AdmissionAsk, Admissions, Counter, CounterReading } from "../../core/counters.js";

const nothing: AdmissionAsk = { first: [], leases: [], then: [], read: [] };

export class RedisCounter implements Counter {
  constructor(private readonly admissions: Admissions) {}

  async take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading> {
    return this.#ask(name, { ...nothing, first: [{ name, amount, limit, windowMs }] });
  }

  async read(name: string, limit: number, windowMs: number): Promise<CounterReading> {
    return this.#ask(name, { ...nothing, read: [{ name, amount: 0, limit, windowMs }] });
  }

  async adjust(name: string, window: string, amount: number): Promise<void> {
    await this.admissions.settle([{ name, window, amount }], null);
  }

  async #ask(name: string, ask: AdmissionAsk): Promise<CounterReading> {
    const { refusedBy, readings } = await this.admissions.admit(ask);
    const reading = readings.get(name);
    if (reading === undefined) throw new Error("A window was asked for that was not read.");
    return { ...reading, admitted: ask.first.length > 0 ? refusedBy === null : reading.admitted };
  }
}
