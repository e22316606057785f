/**
 * Counting without Redis: what this replica may admit on its own during an outage.
 *
 * The promise. During an outage no limit is lifted, and all replicas together admit at most the limit in each window,
 * and a tenth more in the window that was open when the outage began. If only some replicas lose Redis, the others go
 * on with the whole limit there: then it is the limit and the shares of those that lost it.
 *
 * What a replica may admit, its allowance, with `replicas` as many as there were when Redis last said:
 *
 * 1. While Redis answers, its latest reading of each window is remembered (`saw`): count, end, and Redis' id of it.
 * 2. The outage begins. A window that was seen within the last two seconds goes on here until its end, with
 *    (limit − count) ÷ replicas. All replicas saw about the same count, so the parts add up to what was left.
 * 3. A window that was not seen lately is counted blindly: the others may have used it up. Until it must be over, the
 *    allowance is a tenth of the share: limit ÷ 10 ÷ replicas.
 * 4. After that, windows follow one another without a gap, each with limit ÷ replicas, but at least 1 (so a limit
 *    below the number of replicas is exceeded). Replicas saw
 *    the same end of the shared window, so their windows coincide.
 *
 * The way back. When Redis answers again, it may have forgotten everything, or nothing. Each replica reports every open
 * window once (`unreported`): how much it admitted alone since its last report (`amount`), the largest count it had seen
 * from Redis (`seen`), how long the window lasts, and Redis' id of it. `mergeScript` adds the amounts of all replicas
 * and takes the largest of what they had seen. If Redis is lost again before it is trusted, everything is reported
 * again (`lostReports`); a window that lives through two outages gets no second share, only the blind tenth.
 *
 * Windows of quotas are recorded in the database too, where all replicas write what was used. So in each outage they are
 * opened again with the database's count where it is larger (`open`), and what was admitted alone is reported only to a
 * Redis that kept the window (`isRecorded`): one that lost it asks the database, which has it all.
 *
 * Names arrive hashed: here they are the keys in Redis.
 */
import type { Clock, CounterReading } from "../../core/ports.js";
import { ExpiringWindows } from "./expiring-windows.js";
import type { Outage } from "./redis-link.js";

/** A reading older than this when the outage began says little about what the others did since. */
const freshMs = 2_000;
const blindShare = 0.1;

export interface Situation {
  outage: Outage;
  replicas: number;
}

interface Window {
  endsMs: number;
  /** What all replicas had counted when Redis last said; 0 for a window that began without Redis. */
  seen: number;
  seenAtMs: number;
  /** The id that Redis has for it; empty for a window that began without Redis. */
  sharedId: string;
  /** Others may have counted in this window what this replica has not seen. */
  isBlind: boolean;
  isSeenReported: boolean;
  /** It can be opened again with what the database says, which has what is counted here too. */
  isRecorded: boolean;
  /** The outage in which it was opened, or looked up again; −1 for none. */
  openedIn: number;
  local: LocalCount | null;
}

interface LocalCount {
  id: string;
  outage: number;
  allowance: number;
  count: number;
  /** How much of `count` was reported to Redis. */
  reported: number;
}

/** For Redis, about one window. */
export interface Unreported {
  name: string;
  amount: number;
  seen: number;
  leftMs: number;
  window: string;
  isRecorded: boolean;
}

export class LocalShares {
  readonly #windows: ExpiringWindows<Window>;
  #nextId = 0;

  constructor(
    private readonly clock: Clock,
    sweepEveryMs?: number,
  ) {
    this.#windows = new ExpiringWindows(clock, sweepEveryMs);
  }

  /** Remembers a reading of Redis, which includes all that was reported to it. */
  saw(name: string, { count, resetMs, window }: CounterReading, isRecorded = false): void {
    const now = this.clock.monotonicMs();
    this.#windows.set(name, {
      isRecorded: isRecorded || this.#windows.live(name)?.isRecorded === true,
      openedIn: -1,
      endsMs: now + resetMs,
      seen: count,
      seenAtMs: now,
      sharedId: window,
      isBlind: false,
      isSeenReported: true,
      local: null,
    });
  }

  /** What the window had counted by the latest that is known; 0 when nothing is. */
  recall(name: string): number {
    const window = this.#windows.live(name);
    return window === undefined ? 0 : window.seen + (window.local?.count ?? 0);
  }

  /** Whether it was opened, or counted in, in this outage. */
  isOpen(name: string, { number }: Outage): boolean {
    const window = this.#windows.live(name);
    return window !== undefined && (window.openedIn === number || window.local?.outage === number);
  }

  /** With what the database says; more may have been seen here. */
  open(name: string, windowMs: number, count: number, { number }: Outage): void {
    const now = this.clock.monotonicMs();
    const known = this.#windows.live(name);
    this.#windows.set(name, {
      endsMs: known?.endsMs ?? now + windowMs,
      seen: Math.max(count, known?.seen ?? 0),
      seenAtMs: now,
      sharedId: known?.sharedId ?? "opened",
      isBlind: false,
      isSeenReported: true,
      isRecorded: true,
      openedIn: number,
      local: known?.local ?? null,
    });
  }

  take(name: string, amount: number, limit: number, windowMs: number, now: Situation): CounterReading {
    const { window, local } = this.#open(name, limit, windowMs, now);
    this.#windows.set(name, { ...window, local });
    const admitted = local.count + amount <= local.allowance;
    if (admitted) local.count += amount;
    return this.#reading(window, local, admitted);
  }

  read(name: string, limit: number, windowMs: number, now: Situation): CounterReading {
    const { window, local } = this.#open(name, limit, windowMs, now);
    return this.#reading(window, local, local.count < local.allowance);
  }

  /** Also corrects what was last seen in a window of Redis, for an outage that may follow. */
  adjust(name: string, windowId: string, amount: number): void {
    const window = this.#windows.live(name);
    if (window === undefined) return;
    if (window.local?.id === windowId) window.local.count = Math.max(0, window.local.count + amount);
    else if (window.sharedId === windowId) window.seen = Math.max(0, window.seen + amount);
  }

  /** Counts as reported from now on; `lostReports` takes that back. */
  unreported(name: string): Unreported | null {
    const window = this.#windows.live(name);
    if (window === undefined) return null;
    const { local, isSeenReported, isRecorded, sharedId, endsMs } = window;
    const amount = local === null ? 0 : local.count - local.reported;
    if (amount === 0 && (isSeenReported || isRecorded)) return null;
    window.isSeenReported = true;
    if (local !== null) local.reported = local.count;
    const leftMs = Math.max(1, Math.ceil(endsMs - this.clock.monotonicMs()));
    return { name, amount, seen: window.seen, leftMs, window: sharedId || (local?.id ?? ""), isRecorded };
  }

  /** Redis was lost: it may have forgotten what was reported to it. */
  lostReports(): void {
    for (const window of this.#windows.values()) {
      if (window.isRecorded) continue;
      window.isSeenReported = window.sharedId === "";
      if (window.local !== null) window.local.reported = 0;
    }
  }

  /** Of windows that are open. */
  names(): string[] {
    return this.#windows.names().filter((name) => this.#windows.live(name) !== undefined);
  }

  /** Of all windows that are kept, also of those that have just ended. */
  heldNames(): string[] {
    return this.#windows.names();
  }

  close(): void {
    this.#windows.close();
  }

  /** The window to count in, which is not kept yet. */
  #open(name: string, limit: number, windowMs: number, situation: Situation) {
    const window =
      this.#windows.live(name) ?? this.#next(this.#windows.get(name), windowMs, situation.outage);
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

  /** Follows a window that was open when the outage began; without one, windows are counted from that moment. */
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
      isRecorded: false,
      openedIn: -1,
      local: null,
    };
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
}

/** What may be admitted here from now to the window's end. */
function allowanceOf(window: Window, limit: number, { outage, replicas }: Situation): number {
  const { seen, seenAtMs, sharedId, isBlind, local } = window;
  const blind = Math.max(1, Math.floor((limit * blindShare) / replicas));
  if (sharedId !== "") {
    const left = Math.max(0, limit - seen);
    return outage.sinceMs - seenAtMs <= freshMs ? Math.floor(left / replicas) : Math.min(left, blind);
  }
  // Redis was there for a while within this window, and the others may have counted there.
  if (isBlind || local !== null) return blind;
  return Math.max(1, Math.floor(limit / replicas));
}
