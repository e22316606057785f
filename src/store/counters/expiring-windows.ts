/**
 * Windows by name, each removed by a timer within a minute of its end: names come from sign-in throttles too, and
 * nothing about anybody is kept for longer than it is counted. Callers hash names that are personal.
 */
import type { Clock } from "../../core/clock.js";

const sweepEveryMs = 30_000;

export class ExpiringWindows<Window extends { endsMs: number }> {
  readonly #windows = new Map<string, Window>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    everyMs = sweepEveryMs,
  ) {
    this.#timer = setInterval(() => this.#sweep(), everyMs).unref();
  }

  /** Undefined when there is none, or it has ended. */
  live(name: string): Window | undefined {
    const window = this.#windows.get(name);
    return window !== undefined && window.endsMs > this.clock.monotonicMs() ? window : undefined;
  }

  set(name: string, window: Window): void {
    this.#windows.set(name, window);
  }

  deleteIf(isUnwanted: (window: Window) => boolean): void {
    for (const [name, window] of this.#windows) if (isUnwanted(window)) this.#windows.delete(name);
  }

  names(): string[] {
    return [...this.#windows.keys()];
  }

  close(): void {
    clearInterval(this.#timer);
    this.#windows.clear();
  }

  #sweep(): void {
    const nowMs = this.clock.monotonicMs();
    this.deleteIf(({ endsMs }) => endsMs <= nowMs);
  }
}
