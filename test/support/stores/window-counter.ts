import type { AdmissionAsk, Admissions, CounterReading } from "../../../src/core/counters.js";

const nothing: AdmissionAsk = { first: [], leases: [], then: [], read: [] };

/** Counts one window at a time: an admission that asks for nothing else. */
export class WindowCounter {
  constructor(private readonly admissions: Admissions) {}

  async take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading> {
    const ask = { ...nothing, first: [{ name, amount, limit, windowMs }] };
    const { refusedBy, readings } = await this.admissions.admit(ask);
    return { ...readingOf(name, readings), admitted: refusedBy === null };
  }

  async read(name: string, limit: number, windowMs: number): Promise<CounterReading> {
    const ask = { ...nothing, read: [{ name, amount: 0, limit, windowMs }] };
    return readingOf(name, (await this.admissions.admit(ask)).readings);
  }

  async adjust(name: string, window: string, amount: number): Promise<void> {
    await this.admissions.settle([{ name, window, amount }], null);
  }
}

function readingOf(name: string, readings: ReadonlyMap<string, CounterReading>): CounterReading {
  const reading = readings.get(name);
  if (reading === undefined) throw new Error("The window was not read.");
  return reading;
}
