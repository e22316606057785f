/**
 * The last hour of this process, minute by minute, for the admin page: how requests ended, and samples
 * every ten seconds (queue, running replies, tokens a second, memory, disk). In memory only and bounded; a
 * restart begins with nothing. Other replicas have an hour of their own.
 */
import type { Clock } from "../clock.js";
import type { LiveMinute, MachineNow } from "./service-views.js";
import type { UsageOutcome } from "../usage/usage-recorder.js";

const minutesKept = 60;
const sampleEveryMs = 10_000;
const minuteMs = 60_000;

export interface LiveSources {
  /** Running and waiting requests of all engines. */
  load: () => { running: number; waiting: number };
  /** Of all models, over the last ten seconds. */
  tokensPerSecond: () => number;
  /** Null where the system does not say. */
  machine: () => Promise<MachineNow>;
}

interface Minute extends Omit<LiveMinute, "start" | "tokensPerSecond"> {
  startMs: number;
  tokenRates: number[];
}

export class LiveHour {
  /** By time; the last is the present minute. */
  #minutes: Minute[] = [];
  #machine: MachineNow = { memory: null, disk: null };
  readonly #timer: NodeJS.Timeout;
  readonly startedAt: Date;

  constructor(
    private readonly clock: Clock,
    private readonly sources: LiveSources,
  ) {
    this.startedAt = clock.now();
    this.#timer = setInterval(() => void this.sample(), sampleEveryMs).unref();
    void this.sample();
  }

  add(outcome: UsageOutcome, now: Date): void {
    const minute = this.#minuteOf(now);
    minute.requests += 1;
    if (outcome === "error") minute.errors += 1;
    if (outcome === "rate_limited" || outcome === "unavailable") minute.refused += 1;
  }

  /** Every minute of the last hour that this process has seen; those in which nothing happened are there too. */
  read(): LiveMinute[] {
    this.#minuteOf(this.clock.now());
    return this.#minutes.map(({ startMs, tokenRates, ...minute }) => ({
      start: new Date(startMs).toISOString(),
      ...minute,
      tokensPerSecond: mean(tokenRates),
    }));
  }

  get machine(): MachineNow {
    return this.#machine;
  }

  /** Never rejects. */
  async sample(): Promise<void> {
    const { load, tokensPerSecond, machine } = this.sources;
    this.#machine = await machine().catch(() => ({ memory: null, disk: null }));
    const minute = this.#minuteOf(this.clock.now());
    const { running, waiting } = load();
    minute.running = Math.max(minute.running, running);
    minute.waiting = Math.max(minute.waiting, waiting);
    minute.tokenRates.push(tokensPerSecond());
    minute.memoryBytes = this.#machine.memory?.usedBytes ?? null;
    minute.diskBytes = this.#machine.disk?.usedBytes ?? null;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The present minute. A clock change clears the hour. */
  #minuteOf(now: Date): Minute {
    const nowMs = now.getTime();
    const startMs = nowMs - (nowMs % minuteMs);
    const last = this.#minutes.at(-1);
    if (last?.startMs === startMs) return last;
    const missing = last === undefined ? 1 : (startMs - last.startMs) / minuteMs;
    if (missing < 0 || missing > minutesKept) this.#minutes = [];
    const count = this.#minutes.length === 0 ? 1 : missing;
    for (let back = count - 1; back >= 0; back--) this.#minutes.push(emptyMinute(startMs - back * minuteMs));
    this.#minutes = this.#minutes.slice(-minutesKept);
    return this.#minutes.at(-1) ?? emptyMinute(startMs);
  }
}

const emptyMinute = (startMs: number): Minute => ({
  startMs,
  requests: 0,
  errors: 0,
  refused: 0,
  waiting: 0,
  running: 0,
  memoryBytes: null,
  diskBytes: null,
  tokenRates: [],
});

const mean = (values: readonly number[]): number =>
  values.length === 0
    ? 0
    : Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 10) / 10;
