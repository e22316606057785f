import type { Clock } from "../../../src/core/clock.js";

/** A clock that moves when told to, so that no test waits for time to pass. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;

  constructor(start = new Date("2030-01-01T00:00:00Z")) {
    this.#wallMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#wallMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }
}
