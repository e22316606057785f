/**
 * Counters that the processes of one server share: they are in the memory of the process that started the others
 * (the owner), and the others ask it. A request costs it two messages, one that admits and is answered, one that settles.
 *
 * Nothing is admitted while the owner does not answer: requests get 503, within the time limit of the link or immediately.
 * It also accepts the connections, so a share of every limit, as without Redis, would serve few. What it grants too late
 * is given back. When it ends, so do all; when another process ends, its leases are released and what it had reserved is
 * given back.
 */
import type { ProcessLink } from "../../adapters/process-link.js";
import type { Clock } from "../../core/clock.js";
import {
  type AdmissionAnswer,
  type AdmissionAsk,
  type Admissions,
  type Correction,
  type CounterReading,
  type Lease,
  type LeaseAsk,
  personalName,
  type WindowAsk,
} from "../../core/counters.js";
import type { TestNote } from "../../core/keys/connection-tests.js";
import type { Counters } from "./counters.js";
import { ExpiringWindows } from "./expiring-windows.js";

/** A window as it is sent: whether it must be opened with an earlier count, or that count. */
export interface SentWindow extends Omit<WindowAsk, "initial"> {
  initial?: number | "asked";
}

export interface SentAsk {
  first: readonly SentWindow[];
  leases: readonly LeaseAsk[];
  then: readonly SentWindow[];
  read: readonly SentWindow[];
}

/** Either names of windows that must be opened first, or the answer. */
export interface SentAnswer {
  unknown?: string[];
  refusedBy?: string;
  /** In the order of `first`, `then` and `read`. */
  readings?: (CounterReading | null)[];
  lease?: number;
}

/** What the owner answers to. */
export interface OwnerCounters {
  admit(ask: SentAsk): SentAnswer | Promise<SentAnswer>;
  settle(corrections: readonly Correction[], lease: number | null): void;
  held(name: string): Promise<number>;
  claimUse(name: string, forMs: number): boolean;
  wakeOthers(): void;
  tellOthers(note: TestNote): void;
}

/** What the other processes answer to. */
export interface CounterListeners {
  wake(): void;
  heard(note: TestNote): void;
}

export type OwnerLink = ProcessLink<OwnerCounters, CounterListeners>;

export function sharedCounters(link: OwnerLink, clock: Clock): Counters {
  const admissions = new SharedAdmissions(link, clock);
  const listeners: (() => void)[] = [];
  const noteListeners: ((note: TestNote) => void)[] = [];
  link.answer("wake", () => {
    for (const listener of listeners) listener();
  });
  link.answer("heard", (note) => {
    for (const listener of noteListeners) listener(note);
  });
  return {
    admissions,
    wakeUps: {
      wakeOthers: () => link.note("wakeOthers"),
      onWakeUp: (listener) => void listeners.push(listener),
      tests: {
        tell: (note) => link.note("tellOthers", note),
        onNote: (listener) => void noteListeners.push(listener),
      },
      close: async () => undefined,
    },
    uses: { claim: (name, forMs) => link.call("claimUse", name, forMs) },
    failure: () => null,
    close: async () => admissions.close(),
  };
}

interface SeenWindow {
  id: string;
  count: number;
  endsMs: number;
}

/** How long a refusal is taken to say what others hold. */
const refusalMs = 1_000;

class SharedAdmissions implements Admissions {
  readonly canRecall = true;
  /** What the owner last said of a window. */
  readonly #seen: ExpiringWindows<SeenWindow>;
  readonly #full: ExpiringWindows<{ limit: number; endsMs: number }>;
  readonly #held = new Map<string, number>();

  constructor(
    private readonly link: OwnerLink,
    private readonly clock: Clock,
  ) {
    this.#seen = new ExpiringWindows(clock);
    this.#full = new ExpiringWindows(clock);
    link.onLate("admit", (answer, ask) => this.#giveBack(answer, ask));
  }

  async admit(ask: AdmissionAsk): Promise<AdmissionAnswer> {
    const { first, leases, then, read } = ask;
    const windows = [...first, ...then, ...read];
    const initial = new Map<string, number>();
    const sent = (window: WindowAsk): SentWindow => {
      const { name, amount, limit, windowMs } = window;
      if (window.initial === undefined) return { name, amount, limit, windowMs };
      return { name, amount, limit, windowMs, initial: initial.get(name) ?? "asked" };
    };
    for (;;) {
      const {
        unknown,
        refusedBy,
        readings = [],
        lease,
      } = await this.link.call("admit", {
        first: first.map(sent),
        leases,
        then: then.map(sent),
        read: read.map(sent),
      });
      if (unknown === undefined) {
        const refusal = [...windows, ...leases].find(({ name }) => name === refusedBy) ?? null;
        for (const { name, limit } of leases)
          if (name === refusedBy)
            this.#full.set(name, { limit, endsMs: this.clock.monotonicMs() + refusalMs });
        return {
          refusedBy: refusal,
          readings: this.#saw(windows, readings),
          lease: lease === undefined ? null : this.#hold(leases, lease),
        };
      }
      for (const window of windows)
        if (unknown.includes(window.name)) initial.set(window.name, (await window.initial?.()) ?? 0);
    }
  }

  /** Sent and not waited for: the owner takes messages in their order. */
  async settle(corrections: readonly Correction[], lease: Lease | null): Promise<boolean> {
    for (const { name, window, amount } of corrections) {
      const seen = this.#seen.live(name);
      if (seen?.id === window) seen.count = Math.max(0, seen.count + amount);
    }
    const id = lease instanceof SharedLease ? lease.stopHolding() : null;
    this.link.note("settle", corrections, id);
    return true;
  }

  held(name: string): Promise<number> {
    return this.link.call("held", name);
  }

  recall(name: string): number {
    return this.#seen.live(name)?.count ?? 0;
  }

  recallHeld(name: string): number {
    return this.#full.live(name)?.limit ?? this.#held.get(name) ?? 0;
  }

  close(): void {
    this.#seen.close();
    this.#full.close();
  }

  /** The request was refused meanwhile. That it was made stays counted, as after any refusal. */
  #giveBack({ unknown, refusedBy, readings = [], lease }: SentAnswer, { first, then }: SentAsk): void {
    if (unknown !== undefined || refusedBy !== undefined) return;
    const reserved = then.map(({ name, amount }, index) => {
      const { window = "" } = readings[first.length + index] ?? {};
      return { name, window, amount: -amount };
    });
    this.link.note("settle", reserved, lease ?? null);
  }

  #saw(
    windows: readonly WindowAsk[],
    answered: readonly (CounterReading | null)[],
  ): Map<string, CounterReading> {
    const nowMs = this.clock.monotonicMs();
    const readings = new Map<string, CounterReading>();
    windows.forEach(({ name }, index) => {
      const reading = answered[index];
      if (reading === undefined || reading === null) return;
      readings.set(name, reading);
      const { window: id, count, resetMs } = reading;
      if (id !== "" && !name.startsWith(personalName))
        this.#seen.set(name, { id, count, endsMs: nowMs + resetMs });
    });
    return readings;
  }

  #hold(leases: readonly LeaseAsk[], id: number): SharedLease {
    for (const { name } of leases) this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    return new SharedLease(
      id,
      () => {
        for (const { name } of leases) {
          const left = (this.#held.get(name) ?? 0) - 1;
          if (left > 0) this.#held.set(name, left);
          else this.#held.delete(name);
        }
      },
      () => this.link.note("settle", [], id),
    );
  }
}

class SharedLease implements Lease {
  #isHeld = true;

  constructor(
    private readonly id: number,
    private readonly onEnd: () => void,
    private readonly tellOwner: () => void,
  ) {}

  /** Its id, or null from the second call on. */
  stopHolding(): number | null {
    if (!this.#isHeld) return null;
    this.#isHeld = false;
    this.onEnd();
    return this.id;
  }

  release(): void {
    if (this.stopHolding() !== null) this.tellOwner();
  }
}
