/** Clients that find the queue full and retry when told to: simulated, on a clock that leaps. */
import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { ServiceError } from "../errors.js";
import { FairQueue } from "./fair-queue.js";
import { RetryAfter } from "./retry-after.js";

const settled = () => new Promise((resolve) => setImmediate(resolve));

interface Shape {
  capacity: number;
  maxLength: number;
  /** How long the run of the nth request takes. */
  runMs: (nth: number) => number;
  /** Whose the nth request is. */
  accountOf?: (nth: number) => string;
}

/** A queue before an engine whose runs take as long as they are said to, and the clients that come to it. */
class Simulation {
  readonly clock = new FakeClock();
  readonly #queue: FairQueue;
  #events: { atMs: number; happen: () => void }[] = [];
  #requests = 0;

  constructor(private readonly shape: Shape) {
    this.#queue = new FairQueue({
      capacity: () => shape.capacity,
      maxLength: shape.maxLength,
      maxWaitMs: 600_000,
      clock: this.clock,
    });
  }

  /** One request now; what it was told when it was refused, null once it has run. */
  async ask(): Promise<number | null> {
    const nth = this.#requests++;
    const accountId = this.shape.accountOf?.(nth) ?? "acc";
    try {
      const slot = await this.#queue.enter({ accountId, cost: 100, places: 1 }, new AbortController().signal);
      await new Promise<void>((resolve) => this.after(this.shape.runMs(nth), resolve));
      slot.leave(100);
      return null;
    } catch (error) {
      if (error instanceof ServiceError && error.retryAfterSeconds !== undefined)
        return error.retryAfterSeconds;
      throw error;
    }
  }

  /** So many at once; what each was told. */
  burst(count: number): Promise<number | null>[] {
    return Array.from({ length: count }, () => this.ask());
  }

  after(ms: number, happen: () => void): void {
    this.#events.push({ atMs: this.clock.monotonicMs() + ms, happen });
  }

  /** Lets time pass until nothing is to come. */
  async toTheEnd(): Promise<void> {
    for (await settled(); this.#events.length > 0; await settled()) {
      this.#events.sort((a, b) => a.atMs - b.atMs);
      const next = this.#events.shift();
      if (next === undefined) return;
      this.clock.advance(next.atMs - this.clock.monotonicMs());
      next.happen();
    }
  }

  /** Those of a burst that are refused retry once, when told to; what became of them. */
  async burstAndReturn(count: number) {
    const told: number[] = [];
    let served = 0;
    for (const answer of this.burst(count)) {
      void answer.then((seconds) => {
        if (seconds === null) return;
        told.push(seconds);
        this.after(seconds * 1000, () => {
          void this.ask().then((again) => (served += again === null ? 1 : 0));
        });
      });
    }
    await this.toTheEnd();
    return { told, served };
  }
}

/** Between half and one and a half times the mean, the same in every run. */
const varied = (meanMs: number) => (nth: number) => meanMs * (0.5 + ((nth * 7919) % 1000) / 1000);

describe("of 72 who find the queue full", () => {
  const shapes: [string, Shape][] = [
    ["equal runs", { capacity: 8, maxLength: 16, runMs: () => 1_000 }],
    ["longer runs", { capacity: 8, maxLength: 16, runMs: () => 3_000 }],
    ["runs of different lengths", { capacity: 8, maxLength: 16, runMs: varied(2_000) }],
    ["runs far shorter than a second", { capacity: 8, maxLength: 16, runMs: varied(50) }],
    ["one at a time", { capacity: 1, maxLength: 4, runMs: varied(500) }],
    [
      "an account each",
      { capacity: 8, maxLength: 16, runMs: varied(2_000), accountOf: (nth) => `acc${nth}` },
    ],
    [
      "few accounts, one with most of them",
      {
        capacity: 8,
        maxLength: 16,
        runMs: varied(2_000),
        accountOf: (nth) => (nth % 4 === 0 ? `acc${nth % 3}` : "busy"),
      },
    ],
  ];

  it.each(shapes)("nine of ten are served when they retry as told: %s", async (_, shape) => {
    const simulation = new Simulation(shape);
    // What has been asked for before tells how fast it is.
    void simulation.burst(shape.capacity + shape.maxLength);
    await simulation.toTheEnd();
    const { told, served } = await simulation.burstAndReturn(72 + shape.capacity + shape.maxLength);
    expect(told).toHaveLength(72);
    expect(Math.min(...told)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...told)).toBeLessThanOrEqual(59);
    expect(served).toBeGreaterThanOrEqual(65);
  });

  it("nine of ten are served when nothing ever had to wait before", async () => {
    const simulation = new Simulation({ capacity: 8, maxLength: 16, runMs: varied(2_000) });
    void simulation.burst(3);
    await simulation.toTheEnd();
    expect((await simulation.burstAndReturn(96)).served).toBeGreaterThanOrEqual(65);
  });

  it("no one is told to wait because of a night without requests", async () => {
    const simulation = new Simulation({ capacity: 8, maxLength: 16, runMs: () => 1_000 });
    void simulation.burst(24);
    await simulation.toTheEnd();
    for (let hour = 0; hour < 12; hour++) {
      simulation.clock.advance(3_600_000);
      void simulation.burst(1);
      await simulation.toTheEnd();
    }
    const { told, served } = await simulation.burstAndReturn(96);
    expect(Math.min(...told)).toBeLessThanOrEqual(4);
    expect(Math.max(...told)).toBeLessThanOrEqual(16);
    expect(served).toBeGreaterThanOrEqual(65);
  });

  it("those who do not return are forgotten", async () => {
    const simulation = new Simulation({ capacity: 8, maxLength: 16, runMs: () => 1_000 });
    void simulation.burst(24);
    await simulation.toTheEnd();
    const toldFirst = async () => {
      const answers = simulation.burst(96);
      await settled();
      const first = (await Promise.race([answers[24], settled().then(() => undefined)])) ?? 0;
      await simulation.toTheEnd();
      return first;
    };
    const before = await toldFirst();
    simulation.clock.advance(15_000);
    expect(await toldFirst()).toBe(before);
  });
});

describe("a return time", () => {
  const state = { ahead: 10, intervalMs: 500, room: 20 };

  it("is behind those who wait and those who were told before", () => {
    const times = new RetryAfter();
    const told = Array.from({ length: 10 }, () => times.next(state, 0));
    expect(told).toEqual([6, 6, 7, 7, 8, 8, 9, 9, 10, 10]);
  });

  it("passes with time", () => {
    const times = new RetryAfter();
    for (let caller = 0; caller < 20; caller++) times.next(state, 0);
    expect(times.next(state, 0)).toBe(16);
    expect(times.next(state, 5_000)).toBe(11);
    expect(times.next(state, 60_000)).toBe(6);
  });

  it("is never more than 59 seconds off, and spread over them when there are more callers than places", () => {
    const times = new RetryAfter();
    const told = Array.from({ length: 10_000 }, () => times.next(state, 0));
    expect(Math.min(...told)).toBe(6);
    expect(Math.max(...told)).toBe(59);
    const share = (seconds: number) => told.filter((each) => each === seconds).length / told.length;
    for (let seconds = 6; seconds <= 59; seconds++) expect(share(seconds)).toBeLessThan(0.03);
  });

  it("is spread even where the queue takes longer to drain than anybody can be told", () => {
    const times = new RetryAfter();
    const slow = { ahead: 100, intervalMs: 2_000, room: 104 };
    const told = Array.from({ length: 50 }, () => times.next(slow, 0));
    expect(new Set(told).size).toBeGreaterThan(10);
    expect(Math.max(...told)).toBeLessThanOrEqual(59);
  });
});
