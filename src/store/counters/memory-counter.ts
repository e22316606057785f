/**
 * Limits of a single process. Windows are timed by the monotonic clock, so that a jump of the wall clock
 * neither unlocks an account nor locks it out. Names hold email and network addresses (sign-in throttles), so they are
 * hashed with a secret that only this process has.
 */
import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../../core/clock.js";
import type { Counter, CounterReading, Lease, Leases } from "../../core/counters.js";
import { ExpiringWindows } from "./expiring-windows.js";

interface Window {
  id: string;
  count: number;
  endsMs: number;
  /** It began with what the database says. */
  isRecorded: boolean;
}

const fresh = { count: 0, isRecorded: false };

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

  /** `otherwise` is added where the window was opened again since. */
  adjustNow(hashedName: HashedName, windowId: string, amount: number, otherwise = 0): void {
    const window = this.#windows.live(hashedName);
    if (window === undefined) return;
    window.count = Math.max(0, window.count + (window.id === windowId ? amount : otherwise));
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

  isOpenNow(hashedName: HashedName): boolean {
    return this.#windows.live(hashedName) !== undefined;
  }

  /** With what the database says, unless it is open. */
  openNow(hashedName: HashedName, windowMs: number, count: number): void {
    if (!this.isOpenNow(hashedName)) this.#open(hashedName, windowMs, { count, isRecorded: true });
  }

  /** Windows that began with what the database said are opened from it again. */
  forgetRecorded(): void {
    this.#windows.deleteIf(({ isRecorded }) => isRecorded);
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

  #open(hashedName: HashedName, windowMs: number, { count, isRecorded } = fresh): Window {
    const current = this.#windows.live(hashedName);
    if (current !== undefined) return current;
    const endsMs = this.clock.monotonicMs() + windowMs;
    const window = { id: String(this.#nextId++), count, endsMs, isRecorded };
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

/** What one process holds, granted without asking anybody. */
export interface LocalLeases {
  /** Null when this process holds `limit` of them. */
  acquireNow(name: string, limit: number): Lease | null;
  heldNow(name: string): number;
}

/** Held by this process alone, so they die with it and need no time to live. */
export class MemoryLeases implements Leases, LocalLeases {
  readonly #held = new Map<string, number>();

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
