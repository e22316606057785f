/**
 * How many threads compute, so that they do not wait for each other.
 *
 * The threads of a step meet after every operation, hundreds of times, and spin while they wait. On cores of
 * their own that is fastest. Where another process takes a core, all of them spin until the one that lost
 * it gets its next turn, and two threads are many times slower than one; the binding offers no way to wait
 * otherwise. So the processor time of the steps is compared with their duration: when the threads got less than a
 * core each, fewer are used. When other cores have been idle for a while, threads are added for them; where idle cores
 * cannot be seen, one more is tried, and if it does not get its core either, the next try comes later.
 *
 * Some of it is always missing, while threads are started and one alone works, the more the more there are: 4 to 5 % of
 * 14 or 15 threads on 16 idle cores, 9 % with 16 replies of a large vocabulary, and a third in steps that read prompts,
 * which therefore tell little. So where it can be seen that cores were idle for as long, nobody took them.
 */
import { availableParallelism, cpus } from "node:os";
import { quotaCores } from "../../cgroup.js";

export interface ThreadPaceOptions {
  /** As many as there are cores for us. */
  most: number;
  /** In steps of few sequences, as long as the others use the most: they leave the API little to do. */
  mostForFew?: number;
  setThreads: (threads: number) => void;
  /** For how long the machine's cores were idle, all together. Not where only some of them are ours. */
  idleMs?: (() => number) | undefined;
}

/**
 * One other process on one of our cores takes half of it, and all threads wait for the one that has the other half.
 * So it is the cores that are missing that count, not their share, where they are few enough to tell.
 */
const missingCores = {
  replies: {
    crowded: (threads: number) => Math.max(0.5, threads * 0.08),
    calm: (threads: number) => Math.max(0.25, threads * 0.06),
  },
  prompts: { crowded: (threads: number) => threads * 0.5, calm: (threads: number) => threads * 0.4 },
};

/** What steps took, and the processor time below which they were crowded, and from which on calm. */
const emptyWindow = () => ({ ms: 0, cpuMs: 0, threadMs: 0, crowdedMs: 0, calmMs: 0 });
/** Single steps say little: some are short, and our own process for requests takes its moments too. */
const windowMs = 250;
const crowdedWindows = 2;
/** Steps with what is done between them, beside the steps alone. */
const mostPause = 1.5;
/** Of a core, for one more thread: our own process for requests takes its part. */
const leastRoom = 0.75;
/** Sequences in a step. */
const few = 2;
const firstCalmMs = 2000;
const longestCalmMs = 60_000;

export class ThreadPace {
  threads: number;
  #inUse: number;
  #window = emptyWindow();
  #crowded = 0;
  #calmMs = 0;
  #neededCalmMs = firstCalmMs;
  /** At the end of the last window, if it mattered then. */
  #before: { atMs: number; idleMs: number } | undefined;

  /** Processor time of this process is passed in for tests, as is the clock. */
  constructor(
    private readonly options: ThreadPaceOptions,
    private readonly cpuMs = processCpuMs,
    private readonly nowMs = () => performance.now(),
  ) {
    this.threads = options.most;
    this.#inUse = options.most;
  }

  /** Runs one step, and changes the threads for the next one where that is better. */
  async run(
    step: () => Promise<void>,
    { kind, sequences }: { kind: keyof typeof missingCores; sequences: number },
  ): Promise<void> {
    const { most, mostForFew = most } = this.options;
    if (most === 1) return step();
    const threads = sequences <= few && this.threads === most ? mostForFew : this.threads;
    this.#use(threads);
    const [startedMs, startedCpuMs] = [this.nowMs(), this.cpuMs()];
    await step();
    const tookMs = this.nowMs() - startedMs;
    const { crowded, calm } = missingCores[kind];
    this.#window.ms += tookMs;
    this.#window.cpuMs += this.cpuMs() - startedCpuMs;
    this.#window.threadMs += tookMs * threads;
    this.#window.crowdedMs += tookMs * (threads - crowded(threads));
    this.#window.calmMs += tookMs * (threads - calm(threads));
    if (this.#window.ms < windowMs) return;
    this.#judge(this.#window);
    this.#window = emptyWindow();
  }

  #judge({ ms, cpuMs, threadMs, crowdedMs, calmMs }: ReturnType<typeof emptyWindow>): void {
    const isShort = cpuMs < calmMs;
    const mayGrow = this.threads < this.options.most;
    const missingMs = Math.max(0, threadMs - cpuMs);
    const matters = isShort || mayGrow;
    const idleMs = matters ? this.#idleMs(ms) : undefined;
    if (!matters) this.#before = undefined;
    const wereIdle = isShort && idleMs !== undefined && idleMs >= missingMs;
    this.#crowded = cpuMs < crowdedMs && !wereIdle ? this.#crowded + 1 : 0;
    // In cores, for further threads. Where it cannot be seen, one is tried.
    const room = mayGrow && idleMs !== undefined ? (idleMs - missingMs) / ms : 1;
    const isCalm = (!isShort || wereIdle) && room >= leastRoom;
    this.#calmMs = isCalm ? this.#calmMs + ms : 0;
    if (this.threads > 1 && this.#crowded >= crowdedWindows) {
      // A try that failed; one that lasted resets the pause.
      const wasTried = this.#neededCalmMs > firstCalmMs;
      this.#neededCalmMs = Math.min(longestCalmMs, this.#neededCalmMs * (wasTried ? 2 : 1));
      this.#change(Math.max(1, Math.floor(cpuMs / ms)));
    } else if (mayGrow && this.#calmMs >= this.#neededCalmMs) {
      this.#neededCalmMs = Math.min(longestCalmMs, this.#neededCalmMs * 2);
      this.#change(Math.min(this.options.most, this.threads + Math.max(1, Math.round(room))));
    } else if (!mayGrow && this.#calmMs >= longestCalmMs) {
      this.#neededCalmMs = firstCalmMs;
    }
  }

  /** For how long cores were idle since the last window of such a length; undefined where that is not known. */
  #idleMs(lengthMs: number): number | undefined {
    const idleMs = this.options.idleMs?.();
    if (idleMs === undefined) return undefined;
    const [before, atMs] = [this.#before, this.nowMs()];
    this.#before = { atMs, idleMs };
    // Between two requests our own cores are idle.
    if (before === undefined || atMs - before.atMs > lengthMs * mostPause) return undefined;
    return idleMs - before.idleMs;
  }

  #change(threads: number): void {
    this.threads = threads;
    this.#crowded = 0;
    this.#calmMs = 0;
    this.#use(threads);
  }

  #use(threads: number): void {
    if (threads !== this.#inUse) this.options.setThreads(threads);
    this.#inUse = threads;
  }
}

/** All cores, and no limit on their time. One on a group of groups cannot be seen from within. */
export const ownsMachine = (): boolean =>
  quotaCores() === undefined && cpus().length === availableParallelism();

export const machineIdleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
