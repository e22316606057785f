/**
 * Windows of limits in the memory of one process. They are timed by the monotonic clock, so that a jump of the wall
 * clock neither unlocks an account nor locks it out. Names with email and network addresses (sign-in throttles) are
 * hashed with a secret that only this process has; ids of accounts and keys are not, since every request needs them.
 */
import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../../core/clock.js";
import { personalName, type CounterReading } from "../../core/counters.js";
import { ExpiringWindows } from "./expiring-windows.js";

interface Window {
  id: string;
  count: number;
  endsMs: number;
  /** Opened with a count from the database. */
  isRecorded: boolean;
}

export class MemoryWindows {
  readonly #windows: ExpiringWindows<Window>;
  readonly #secret = randomBytes(32).toString("hex");
  #nextId = 0;

  constructor(
    private readonly clock: Clock,
    sweepEveryMs?: number,
  ) {
    this.#windows = new ExpiringWindows(clock, sweepEveryMs);
  }

  take(name: string, amount: number, limit: number, windowMs: number): CounterReading {
    const window = this.#find(name) ?? this.#open(name, windowMs);
    const admitted = window.count + amount <= limit;
    if (admitted) window.count += amount;
    return this.#reading(window, limit, admitted);
  }

  /** `otherwise` is added where the window was opened again since. */
  adjust(name: string, windowId: string, amount: number, otherwise = 0): void {
    const window = this.#find(name);
    if (window === undefined) return;
    window.count = Math.max(0, window.count + (window.id === windowId ? amount : otherwise));
  }

  read(name: string, limit: number, windowMs: number): CounterReading {
    const window = this.#find(name);
    if (window === undefined)
      return { admitted: limit > 0, count: 0, remaining: limit, resetMs: windowMs, window: "" };
    return this.#reading(window, limit, window.count < limit);
  }

  count(name: string): number {
    return this.#find(name)?.count ?? 0;
  }

  isOpen(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** With a count from the database. Does nothing if the window is open. */
  openRecorded(name: string, windowMs: number, count: number): void {
    if (!this.isOpen(name)) this.#open(name, windowMs, count, true);
  }

  /** Closes windows that were opened with a count from the database, to be opened with a new one. */
  closeRecorded(): void {
    this.#windows.deleteIf(({ isRecorded }) => isRecorded);
  }

  close(): void {
    this.#windows.close();
  }

  /** What windows are kept by. */
  names(): string[] {
    return this.#windows.names();
  }

  #find(name: string): Window | undefined {
    return this.#windows.live(this.#kept(name));
  }

  #open(name: string, windowMs: number, count = 0, isRecorded = false): Window {
    const endsMs = this.clock.monotonicMs() + windowMs;
    const window = { id: String(this.#nextId++), count, endsMs, isRecorded };
    this.#windows.set(this.#kept(name), window);
    return window;
  }

  /** What the window is kept by. */
  #kept(name: string): string {
    if (!name.startsWith(personalName)) return name;
    // In one call: an `Hmac` object costs six times as much, and the hash does not leave this process.
    return hash("sha256", this.#secret + name, "base64url");
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
