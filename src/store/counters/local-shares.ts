/**
 * Counting without Redis: what this replica may admit on its own, so that all replicas together stay within
 * the limit.
 *
 * While Redis answers, each of its readings is remembered (`saw`). When it goes away, the window that was
 * open there goes on here until its end, with this replica's share of what was left; then windows follow one
 * another without a gap, each with the limit divided by the number of replicas. Replicas saw the same end, so
 * their windows lie over each other.
 *
 * A replica that has not seen a name lately cannot know what the others have admitted in the window that is
 * open. Until that window must be over it admits a tenth of its share, so that the total stays within 1.1
 * times the limit whatever the others did.
 *
 * When Redis is back, it is told what was counted here and what it had counted itself, in case it forgot
 * (`unreported`).
 */
import type { Clock, CounterReading } from "../../core/ports.js";
import type { Outage } from "./redis-link.js";

/** A reading older than this when Redis went says little about what the others did since. */
const freshMs = 2_000;
const blindShare = 0.1;
const sweepFloor = 1024;

export interface Situation {
  outage: Outage;
  replicas: number;
}

interface Window {
  endsMs: number;
  /** What all replicas had counted when Redis last said; 0 for a window that began without Redis. */
  seen: number;
  seenAtMs: number;
  /** Redis's name for it; empty for a window that began without Redis. */
  sharedId: string;
  /** Others may have counted in this window what this replica has not seen. */
  isBlind: boolean;
  isSeenReported: boolean;
  local: LocalCount | null;
}

interface LocalCount {
  id: string;
  outage: number;
  allowance: number;
  count: number;
  /** How much of `count` Redis has been told. */
  reported: number;
}

/** For Redis, about one window. */
export interface Unreported {
  name: string;
  amount: number;
  seen: number;
  leftMs: number;
  window: string;
}

export class LocalShares {
  readonly #windows = new Map<string, Window>();
  #nextId = 0;
  #sweepAt = sweepFloor;

  constructor(private readonly clock: Clock) {}

  /** Remembers what Redis said, with all that was reported to it. */
  saw(name: string, { count, resetMs, window }: CounterReading): void {
    const now = this.clock.monotonicMs();
    this.#keep(name, {
      endsMs: now + resetMs,
      seen: count,
      seenAtMs: now,
      sharedId: window,
      isBlind: false,
      isSeenReported: true,
      local: null,
    });
  }

  take(name: string, amount: number, limit: number, windowMs: number, now: Situation): CounterReading {
    const { window, local } = this.#open(name, limit, windowMs, now);
    this.#keep(name, { ...window, local });
    const admitted = local.count + amount <= local.allowance;
    if (admitted) local.count += amount;
    return this.#reading(window, local, admitted);
  }

  read(name: string, limit: number, windowMs: number, now: Situation): CounterReading {
    const { window, local } = this.#open(name, limit, windowMs, now);
    return this.#reading(window, local, local.count < local.allowance);
  }

  /** Also corrects what was last seen in a window of Redis's, for the time when Redis is away. */
  adjust(name: string, windowId: string, amount: number): void {
    const window = this.#live(name);
    if (window === undefined) return;
    if (window.local?.id === windowId) window.local.count = Math.max(0, window.local.count + amount);
    else if (window.sharedId === windowId) window.seen = Math.max(0, window.seen + amount);
  }

  /** Counts as reported from now on; `lostReports` takes that back. */
  unreported(name: string): Unreported | null {
    const window = this.#live(name);
    if (window === undefined) return null;
    const { local, isSeenReported, sharedId, endsMs } = window;
    const amount = local === null ? 0 : local.count - local.reported;
    if (amount === 0 && isSeenReported) return null;
    window.isSeenReported = true;
    if (local !== null) local.reported = local.count;
    const leftMs = Math.max(1, Math.ceil(endsMs - this.clock.monotonicMs()));
    return { name, amount, seen: window.seen, leftMs, window: sharedId || (local?.id ?? "") };
  }

  /** Redis went away: what it was told it may have forgotten. */
  lostReports(): void {
    for (const window of this.#windows.values()) {
      window.isSeenReported = window.sharedId === "";
      if (window.local !== null) window.local.reported = 0;
    }
  }

  /** Of windows that are open. */
  names(): string[] {
    return [...this.#windows.keys()].filter((name) => this.#live(name) !== undefined);
  }

  clear(): void {
    this.#windows.clear();
  }

  /** The window to count in, which is not kept yet. */
  #open(name: string, limit: number, windowMs: number, situation: Situation) {
    const window = this.#live(name) ?? this.#next(this.#windows.get(name), windowMs, situation.outage);
    const before = window.local;
    if (before?.outage === situation.outage.number) return { window, local: before };
    const count = before?.count ?? 0;
    const local: LocalCount = {
      id: `local-${this.#nextId++}`,
      outage: situation.outage.number,
      allowance: count + allowanceOf(window, limit, situation),
      count,
      reported: before?.reported ?? 0,
    };
    return { window, local };
  }

  /** Continues the rhythm of a window that Redis left open; without one, rhythms begin when Redis went away. */
  #next(known: Window | undefined, windowMs: number, { sinceMs }: Outage): Window {
    const follows = known !== undefined && known.endsMs > sinceMs;
    const rhythmMs = follows ? known.endsMs : sinceMs;
    const past = Math.floor((this.clock.monotonicMs() - rhythmMs) / windowMs);
    return {
      endsMs: rhythmMs + (past + 1) * windowMs,
      seen: 0,
      seenAtMs: 0,
      sharedId: "",
      isBlind: !follows && past === 0,
      isSeenReported: true,
      local: null,
    };
  }

  #live(name: string): Window | undefined {
    const window = this.#windows.get(name);
    return window !== undefined && window.endsMs > this.clock.monotonicMs() ? window : undefined;
  }

  #reading(window: Window, local: LocalCount, admitted: boolean): CounterReading {
    return {
      admitted,
      count: window.seen + local.count,
      remaining: Math.max(0, local.allowance - local.count),
      resetMs: Math.max(0, window.endsMs - this.clock.monotonicMs()),
      window: local.id,
    };
  }

  #keep(name: string, window: Window): void {
    this.#windows.set(name, window);
    if (this.#windows.size < this.#sweepAt) return;
    const now = this.clock.monotonicMs();
    for (const [other, { endsMs }] of this.#windows) if (endsMs <= now) this.#windows.delete(other);
    this.#sweepAt = Math.max(sweepFloor, this.#windows.size * 2);
  }
}

/** What may be admitted here from now to the window's end. */
function allowanceOf(window: Window, limit: number, { outage, replicas }: Situation): number {
  const { seen, seenAtMs, sharedId, isBlind, local } = window;
  const blind = Math.max(1, Math.floor((limit * blindShare) / replicas));
  if (sharedId !== "") {
    const left = Math.max(0, limit - seen);
    return outage.sinceMs - seenAtMs <= freshMs ? Math.floor(left / replicas) : Math.min(left, blind);
  }
  // Redis came and went again within this window, and the others may have counted there.
  if (isBlind || local !== null) return blind;
  return Math.max(1, Math.floor(limit / replicas));
}
