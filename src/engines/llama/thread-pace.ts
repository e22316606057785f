/**
 * How many threads compute, so that they do not wait for each other.
 *
 * The threads of a step meet after every operation, hundreds of times, and spin while they wait. On cores of
 * their own that is fastest. Where another process takes a core away, all of them spin until the one that lost
 * it gets its next turn, and two threads are many times slower than one; the binding offers no way to wait
 * otherwise. So the processor time of each step is compared with its duration: when the threads got much less
 * than a core each, fewer are used; after a calm while, one more is tried, and if it does not get its core
 * either, the next try comes later.
 */
export interface ThreadPaceOptions {
  /** As many as there are cores for us. */
  most: number;
  setThreads: (threads: number) => void;
  /** Processor time of this process. Passed in for tests, as is the clock. */
  cpuMs?: () => number;
  nowMs?: () => number;
}

/** Below this share of a core for each thread, there are too many. */
const crowdedShare = 0.6;
/** Above this one, each had its own. */
const calmShare = 0.85;
const firstCalmMs = 2000;
const longestCalmMs = 60_000;
/** One slow step may be chance. */
const crowdedSteps = 2;

export class ThreadPace {
  #threads: number;
  #crowded = 0;
  #calmMs = 0;
  #neededCalmMs = firstCalmMs;
  readonly #cpuMs: () => number;
  readonly #nowMs: () => number;

  constructor(private readonly options: ThreadPaceOptions) {
    this.#threads = options.most;
    this.#cpuMs = options.cpuMs ?? processCpuMs;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  get threads(): number {
    return this.#threads;
  }

  /** Runs one step, and changes the threads for the next one where that is better. */
  async run(step: () => Promise<void>): Promise<void> {
    if (this.options.most === 1) return step();
    const [startedMs, startedCpuMs] = [this.#nowMs(), this.#cpuMs()];
    await step();
    const stepMs = this.#nowMs() - startedMs;
    if (stepMs > 0) this.#record(stepMs, (this.#cpuMs() - startedCpuMs) / stepMs);
  }

  #record(stepMs: number, cores: number): void {
    const share = cores / this.#threads;
    this.#crowded = share < crowdedShare ? this.#crowded + 1 : 0;
    this.#calmMs = share >= calmShare ? this.#calmMs + stepMs : 0;
    if (this.#threads > 1 && this.#crowded >= crowdedSteps) {
      // A try that failed; one that lasted starts anew.
      const wasTried = this.#neededCalmMs > firstCalmMs;
      this.#neededCalmMs = Math.min(longestCalmMs, this.#neededCalmMs * (wasTried ? 2 : 1));
      this.#change(Math.max(1, Math.floor(cores)));
    } else if (this.#threads < this.options.most && this.#calmMs >= this.#neededCalmMs) {
      this.#neededCalmMs = Math.min(longestCalmMs, this.#neededCalmMs * 2);
      this.#change(this.#threads + 1);
    } else if (this.#threads === this.options.most && this.#calmMs >= longestCalmMs) {
      this.#neededCalmMs = firstCalmMs;
    }
  }

  #change(threads: number): void {
    this.#threads = threads;
    this.#crowded = 0;
    this.#calmMs = 0;
    this.options.setThreads(threads);
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
