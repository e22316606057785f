/**
 * Limits of a single process. Windows are timed by the monotonic clock, so that a jump of the wall clock
 * neither unlocks an account nor locks it out. Names hold email and network addresses (sign-in throttles), so they are
 * hashed with a secret that only this process has.
 */
import { hash, randomBytes } from "node:crypto";
import type { Clock, Counter, CounterReading, Lease, Leases } from "../../core/ports.js";
import { ExpiringWindows } from "./expiring-windows.js";

interface Window {
  id: string;
  count: number;
  endsMs: number;
}

const mostHashes = 10_000;

/** What a window is kept by. */
export type HashedName = string & { readonly isHashed: true };

export class MemoryCounter implements Counter {
  readonly #windows: ExpiringWindows<Window>;
  readonly #secret = randomBytes(32).toString("hex");
  /** Of names that come again with every request, until the next sweep. */
  readonly #hashes = new Map<string, HashedName>();
  #nextId = 0;

  constructor(
    private readonly clock: Clock,
    sweepEveryMs?: number,
  ) {
    this.#windows = new ExpiringWindows(clock, sweepEveryMs, () => this.#hashes.clear());
  }

  async take(name: string, amount: number, limit: number, windowMs: number): Promise<CounterReading> {
    return this.takeNow(this.hashed(name), amount, limit, windowMs);
  }

  takeNow(hashedName: HashedName, amount: number, limit: number, windowMs: number): CounterReading {
    const window = this.#open(hashedName, windowMs);
    const admitted = window.count + amount <= limit;
    if (admitted) window.count += amount;
    return this.#reading(window, limit, admitted);
  }

  async adjust(name: string, windowId: string, amount: number): Promise<void> {
    this.adjustNow(this.hashed(name), windowId, amount);
  }

  adjustNow(hashedName: HashedName, windowId: string, amount: number): void {
    const window = this.#windows.get(hashedName);
    if (window?.id !== windowId) return;
    window.count = Math.max(0, window.count + amount);
  }

  async read(name: string, limit: number, windowMs: number): Promise<CounterReading> {
    return this.readNow(this.hashed(name), limit, windowMs);
  }

  readNow(hashedName: HashedName, limit: number, windowMs: number): CounterReading {
    const window = this.#windows.live(hashedName);
    if (window === undefined)
      return { admitted: limit > 0, count: 0, remaining: limit, resetMs: windowMs, window: "" };
    return this.#reading(window, limit, window.count < limit);
  }

  countNow(hashedName: HashedName): number {
    return this.#windows.live(hashedName)?.count ?? 0;
  }

  async isOpen(name: string): Promise<boolean> {
    return this.isOpenNow(this.hashed(name));
  }

  isOpenNow(hashedName: HashedName): boolean {
    return this.#windows.live(hashedName) !== undefined;
  }

  async open(name: string, windowMs: number, count: number): Promise<void> {
    const hashedName = this.hashed(name);
    if (this.#windows.live(hashedName) === undefined) this.#open(hashedName, windowMs).count = count;
  }

  /** For the limits of accounts and keys, whose names have only ids of ours in them. */
  hashedOften(name: string): HashedName {
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    if (this.#hashes.size >= mostHashes) this.#hashes.clear();
    const hashedName = this.hashed(name);
    this.#hashes.set(name, hashedName);
    return hashedName;
  }

  hashed(name: string): HashedName {
    // In one call: an `Hmac` object costs six times as much. Nobody outside sees a hash.
    return hash("sha256", this.#secret + name, "base64url") as HashedName;
  }

  async close(): Promise<void> {
    this.#windows.close();
  }

  /** Everything that is held to tell windows apart. */
  heldNames(): string[] {
    return [...this.#windows.names(), ...this.#hashes.keys()];
  }

  #open(hashedName: HashedName, windowMs: number): Window {
    const current = this.#windows.live(hashedName);
    if (current !== undefined) return current;
    const endsMs = this.clock.monotonicMs() + windowMs;
    const window = { id: String(this.#nextId++), count: 0, endsMs };
    this.#windows.set(hashedName, window);
    return window;
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
    return this.acquireNow(name, limit);
  }

  acquireNow(name: string, limit: number): Lease | null {
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
    return this.heldNow(name);
  }

  heldNow(name: string): number {
    return this.#held.get(name) ?? 0;
  }
}
