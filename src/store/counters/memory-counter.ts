/**
 * Limits of a single process. Windows are timed by the monotonic clock, so that a jump of the wall clock
 * neither unlocks an account nor locks it out. A window is dropped once it is over; with many accounts the
 * sweep runs at most once for each doubling of the map, so its cost stays constant for each count.
 */
import type { Clock, Counter, CounterReading, Lease, Leases } from "../../core/ports.js";

interface Window {
  id: string;
  count: number;
  endsMs: number;
}

const sweepFloor = 1024;

export class MemoryCounter implements Counter {
  readonly #windows = new Map<string, Window>();
  #nextId = 0;
  #sweepAt = sweepFloor;

  constructor(private readonly clock: Clock) {}

  async take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading> {
    const window = this.#open(name, windowMs);
    const admitted = window.count + amount <= limit;
    if (admitted) window.count += amount;
    return this.#reading(window, limit, admitted);
  }

  async adjust(name: string, windowId: string, amount: number): Promise<void> {
    const window = this.#windows.get(name);
    if (window?.id !== windowId) return;
    window.count = Math.max(0, window.count + amount);
  }

  async read(name: string, limit: number, windowMs: number): Promise<CounterReading> {
    const window = this.#windows.get(name);
    const live = window !== undefined && window.endsMs > this.clock.monotonicMs();
    if (!live) return { admitted: limit > 0, count: 0, remaining: limit, resetMs: windowMs, window: "" };
    return this.#reading(window, limit, window.count < limit);
  }

  async close(): Promise<void> {
    this.#windows.clear();
  }

  #open(name: string, windowMs: number): Window {
    const now = this.clock.monotonicMs();
    const current = this.#windows.get(name);
    if (current !== undefined && current.endsMs > now) return current;
    this.#sweep(now);
    const window = { id: String(this.#nextId++), count: 0, endsMs: now + windowMs };
    this.#windows.set(name, window);
    return window;
  }

  #sweep(now: number): void {
    if (this.#windows.size < this.#sweepAt) return;
    for (const [name, window] of this.#windows) if (window.endsMs <= now) this.#windows.delete(name);
    this.#sweepAt = Math.max(sweepFloor, this.#windows.size * 2);
  }

  #reading(window: Window, limit: number, admitted: boolean): CounterReading {
    return {
      admitted,
      count: window.count,
      remaining: Math.max(0, limit - window.count),
      resetMs: Math.max(0, window.endsMs - this.clock.monotonicMs()),
      window: window.id,
    };
  }
}

/** Held by this process alone, so they die with it and need no time to live. */
export class MemoryLeases implements Leases {
  readonly #held = new Map<string, number>();

  async acquire(name: string, limit: number): Promise<Lease | null> {
    const held = this.#held.get(name) ?? 0;
    if (held >= limit) return null;
    this.#held.set(name, held + 1);
    let released = false;
    return {
      release: () => {
        if (released) return;
        released = true;
        const left = (this.#held.get(name) ?? 1) - 1;
        if (left > 0) this.#held.set(name, left);
        else this.#held.delete(name);
      },
    };
  }

  async held(name: string): Promise<number> {
    return this.#held.get(name) ?? 0;
  }
}
