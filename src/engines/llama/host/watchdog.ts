/**
 * Notices a child that runs but does nothing: stopped, stuck in native code, swapped out.
 *
 * Time is counted in ticks and not read from a clock: when this process itself was blocked for a while, a
 * single tick comes late, the child's answers are read after it, and no child is killed for it. Any message is
 * a sign of life. An ending that was asked for must come too, since a child whose native part hangs still
 * answers pings.
 */
import type { Timing } from "./timing.js";

export interface WatchdogOptions extends Pick<Timing, "tickMs" | "silentTicks"> {
  ping: () => void;
  onSilent: () => void;
}

export class Watchdog {
  readonly #timer: NodeJS.Timeout;
  #silentTicks = 0;
  readonly #expected = new Map<number, number>();

  constructor(private readonly options: WatchdogOptions) {
    this.#timer = setInterval(() => this.#tick(), options.tickMs);
    this.#timer.unref();
  }

  heard(): void {
    this.#silentTicks = 0;
  }

  expectEnding(id: number): void {
    this.#expected.set(id, 0);
  }

  ended(id: number): void {
    this.#expected.delete(id);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#silentTicks += 1;
    let longest = this.#silentTicks;
    for (const [id, ticks] of this.#expected) {
      this.#expected.set(id, ticks + 1);
      longest = Math.max(longest, ticks + 1);
    }
    // The first tick only asks; so many more may pass without an answer.
    if (longest <= this.options.silentTicks) {
      this.options.ping();
      return;
    }
    this.stop();
    this.options.onSilent();
  }
}
