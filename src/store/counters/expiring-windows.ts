/**
 * Windows by name, each removed within a minute of its end by a timer, whatever is asked for meanwhile: names come from
 * sign-in throttles too, and nothing about anybody is kept for longer than it is counted. A window that has just ended
 * stays for one more sweep, since counting without Redis continues its rhythm.
 *
 * Whoever uses this hashes the names.
 */
import type { Clock } from "../../core/ports.js";

export const sweepEveryMs = 30_000;

export class ExpiringWindows<Window extends { endsMs: number }> {
  readonly #windows = new Map<string, Window>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly everyMs = sweepEveryMs,
    /** For what else is kept about the names. */
    private readonly onSweep: () => void = () => undefined,
  ) {
    this.#timer = setInterval(() => this.#sweep(), everyMs).unref();
  }

  /** Also one that has just ended. */
  get(name: string): Window | undefined {
    return this.#windows.get(name);
  }

  /** Undefined when there is none, or it is over. */
  live(name: string): Window | undefined {
    const window = this.#windows.get(name);
    return window !== undefined && window.endsMs > this.clock.monotonicMs() ? window : undefined;
  }

  set(name: string, window: Window): void {
    this.#windows.set(name, window);
  }

  names(): string[] {
    return [...this.#windows.keys()];
  }

  values(): IterableIterator<Window> {
    return this.#windows.values();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#windows.clear();
  }

  #sweep(): void {
    this.onSweep();
    const beforeMs = this.clock.monotonicMs() - this.everyMs;
    for (const [name, { endsMs }] of this.#windows) if (endsMs <= beforeMs) this.#windows.delete(name);
  }
}
