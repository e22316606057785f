/**
 * The process that starts the others when `SOTTO_PROCESSES` is more than 1, and owns what they share: the listening
 * socket (through Node's cluster), the lock on the data directory and, without Redis, the counters. It serves no request
 * itself. A process that ends is started again, later each time; when this one ends, so do all.
 */
import cluster, { type Worker } from "node:cluster";
import { ProcessLink } from "../adapters/process-link.js";
import { systemClock } from "../core/clock.js";
import type { LiveView } from "../http/dashboard/parts.js";
import type { Log } from "../log.js";
import type { MetricsSample } from "../metrics.js";
import { CountersOwner } from "../store/counters/counters-owner.js";
import type { CounterListeners, OwnerCounters } from "../store/counters/shared-counters.js";
import { lockDataDir } from "../store/data-dir-lock.js";

/** What the owner answers to. */
export interface OwnerMethods extends OwnerCounters {
  /** The process listens. */
  started(): void;
  /** Of all processes that answer, the asking one among them. */
  metricsOfAll(): Promise<MetricsSample[]>;
  viewsOfAll(): Promise<LiveView[]>;
}

/** What each process answers to. */
export interface ProcessMethods extends CounterListeners {
  metrics(): Promise<MetricsSample>;
  view(): LiveView;
  /** As the first signal, then as the second one. */
  stop(): void;
  reloadModels(): void;
}

type Link = ProcessLink<ProcessMethods, OwnerMethods>;

const firstDelayMs = 500;
const longestDelayMs = 30_000;
/** A process that has run for so long is started again without delay. */
const steadyMs = 60_000;
/** Of a process that is asked what it does. One that is too busy is left out. */
const answerMs = 2_000;

interface OwnerOptions {
  count: number;
  dataDir: string;
  log: Log;
  /** The first process listens. */
  onStarted: () => void;
}

export class ProcessOwner {
  readonly #links = new Map<Worker, Link>();
  readonly #counters = new CountersOwner(systemClock);
  readonly #lock: { release(): void };
  readonly #ended: Promise<number>;
  #end: (code: number) => void = () => undefined;
  #isStopping = false;
  #hasStarted = false;
  #delayMs = firstDelayMs;

  /** Throws `StoreError` where another server has the data directory. */
  constructor(private readonly options: OwnerOptions) {
    this.#lock = lockDataDir(options.dataDir);
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Resolves to the exit code when all have ended. The first process migrates the database before others open it. */
  run(): Promise<number> {
    this.#fork();
    return this.#ended.finally(() => {
      this.#counters.close();
      this.#lock.release();
    });
  }

  /** Running replies may finish; from the second call on they may not. */
  stop(): void {
    this.#isStopping = true;
    for (const link of this.#links.values()) link.note("stop");
    if (this.#links.size === 0) this.#end(0);
  }

  reloadModels(): void {
    for (const link of this.#links.values()) link.note("reloadModels");
  }

  #fork(): void {
    const worker = cluster.fork({ SOTTO_PROCESSES: String(this.options.count) });
    const startedMs = performance.now();
    const link: Link = new ProcessLink({
      // It may have ended a moment ago.
      send: (message) => {
        if (worker.isConnected()) worker.send(message as object, () => undefined);
      },
      answerMs,
    });
    this.#links.set(worker, link);
    this.#counters.add(link);
    link.answer("started", () => this.#noteStarted(link));
    link.answer("metricsOfAll", () => this.#askAll((one) => one.call("metrics")));
    link.answer("viewsOfAll", () => this.#askAll((one) => one.call("view")));
    worker.on("message", (message) => link.receive(message));
    worker.on("error", () => undefined);
    worker.once("exit", (code) => {
      this.#links.delete(worker);
      link.close();
      this.#counters.remove(link);
      this.#noteEnd(code, performance.now() - startedMs);
    });
  }

  #noteStarted(link: Link): void {
    if (this.#isStopping) link.note("stop");
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.options.onStarted();
    for (let others = this.options.count - 1; others > 0; others--) this.#fork();
  }

  #noteEnd(code: number | null, ranMs: number): void {
    // What it could not start for, it has said itself.
    if (!this.#hasStarted) {
      this.#end(code ?? 1);
      return;
    }
    if (this.#isStopping) {
      if (this.#links.size === 0) this.#end(0);
      return;
    }
    if (ranMs > steadyMs) this.#delayMs = firstDelayMs;
    this.options.log.warn("process ended, to be started again", { durationMs: this.#delayMs });
    setTimeout(() => {
      if (!this.#isStopping) this.#fork();
      else if (this.#links.size === 0) this.#end(0);
    }, this.#delayMs);
    this.#delayMs = Math.min(longestDelayMs, this.#delayMs * 2);
  }

  async #askAll<T>(ask: (link: Link) => Promise<T>): Promise<T[]> {
    const answers = [...this.#links.values()].map((link) => ask(link).catch(() => null));
    return (await Promise.all(answers)).filter((answer) => answer !== null);
  }
}
