/**
 * Supervises one child: starts it, restarts it when it dies, and lets requests wait for it.
 *
 * A request that comes while a child is starting waits for it, for a limited time. When children die in a loop,
 * requests are refused at once with the time of the next attempt, and the attempts go on.
 *
 * On demand there is no child until somebody asks for one, and `sleep` ends it again. Requests that arrive meanwhile
 * wait for the same load, which belongs to no single request: aborting one does not end it. A load that fails is
 * reported to all who wait for it, and tried again by the first who asks after a pause.
 */
import { ServiceError } from "../../../core/errors.js";
import type { EngineProblem, EngineStatus } from "../../../core/serving/engine-port.js";
import type { EngineFailure } from "../gpu/choice.js";
import { type ChildHandlers, type ChildOptions, EngineChild } from "./child.js";
import { type ChildExit, exitProblem, loadProblem } from "./engine-causes.js";
import { RestartPolicy } from "./restart-policy.js";
import type { LoadedFacts, LoadRequest, ToWorker } from "../messages.js";

export interface OnDemand {
  /**
   * Resolves to true when there is memory for the model, to false when nobody wants it any more. Rejects with
   * `overloaded`, or with another error, for the operator, where what is to be loaded cannot be had.
   */
  admit: (isWanted: () => boolean) => Promise<boolean>;
  /** The memory is free again. */
  release: () => void;
  maxWaiting: number;
  /** How long a request waits for memory and a load. */
  waitMs: number;
}

/** Until what could not be had is asked for again. */
const pauseAfterFailureMs = 10_000;
const notBuilt = "NOT_BUILT";

interface Wake {
  failure: ServiceError | undefined;
}

/** What happens to the engine, for logs and metrics. Nothing in it comes from a conversation. */
export type LlamaEvent =
  | ({ type: "loaded" } & LoadedFacts)
  /** The exit follows. */
  | { type: "load_failed"; cause: string; reason: string }
  /** The child is gone, with everything it was doing. */
  | ({ type: "exited" } & ChildExit)
  /** The child has ended because of `sleep`: nobody used it for long, or another model needed its memory. */
  | { type: "unloaded" }
  | { type: "restarting"; delayMs: number; cause: string | undefined };

export interface SupervisorHandlers extends Pick<ChildHandlers, "onMessage"> {
  onEvent: (event: LlamaEvent) => void;
  /** The load failed: how to load instead; null when there is no other way. */
  fallBack: (failure: EngineFailure) => Promise<LoadRequest> | null;
}

export class Supervisor {
  #policy: RestartPolicy;
  #load: LoadRequest;
  /** Whether it has loaded at least once the current way. */
  #hasLoaded = false;
  /** Each re-checks its condition. */
  readonly #waiting = new Set<() => void>();
  #child: EngineChild | undefined;
  facts: LoadedFacts | undefined;
  /** When the child became able to answer; undefined while it cannot. */
  #readySinceMs: number | undefined;
  /** Why the latest load failed, until one succeeds. */
  #loadProblem: EngineProblem | undefined;
  #exitProblem: EngineProblem | undefined;
  #cannotLoad = false;
  #restartTimer: NodeJS.Timeout | undefined;
  #restartAtMs = 0;
  restarts = 0;
  #closed = false;
  #asleep = false;
  #wake: Wake | undefined;
  /** While a child is being closed by `sleep`. */
  #leaving: Promise<void> | undefined;
  /** Incremented by every sleep, so that what began before it is not continued. */
  #sleeps = 0;

  constructor(
    private readonly options: ChildOptions,
    private readonly handlers: SupervisorHandlers,
    private readonly onDemand?: OnDemand,
  ) {
    this.#policy = new RestartPolicy(options.timing);
    this.#load = options.load;
    if (onDemand === undefined) this.#start();
    else this.#asleep = true;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isReady(): boolean {
    return this.#readySinceMs !== undefined;
  }

  get problem(): EngineProblem | undefined {
    return this.#loadProblem ?? this.#exitProblem;
  }

  get state(): EngineStatus["state"] {
    if (this.isReady) return "ready";
    if (this.#wake !== undefined) return "waking";
    if (this.#asleep && !this.#closed)
      return performance.now() < this.#restartAtMs || this.#loadProblem?.cause === notBuilt
        ? "down"
        : "asleep";
    return this.facts === undefined && this.restarts === 0 ? "starting" : "down";
  }

  /**
   * The child, once it can answer. Throws `engine_unavailable` when that is not soon, and on demand `overloaded` when
   * there is no memory for it or too many wait already.
   */
  async readyChild(signal: AbortSignal): Promise<EngineChild> {
    signal.throwIfAborted();
    if (this.#asleep && !this.#closed) this.#wakeUp();
    const wake = this.#wake;
    if (wake === undefined) {
      const settled = () => this.isReady || this.#closed || this.#policy.looping;
      await this.#until(settled, signal, this.options.timing.readyWaitMs);
    } else {
      const { maxWaiting = Infinity, waitMs } = this.onDemand ?? {};
      if (this.#waiting.size >= maxWaiting) throw tooManyWait();
      const settled = () => this.isReady || this.#closed || wake.failure !== undefined;
      await this.#until(settled, signal, waitMs);
    }
    signal.throwIfAborted();
    if (!this.isReady || this.#child === undefined) throw wake?.failure ?? this.unavailable();
    return this.#child;
  }

  /** Does nothing without a child, which then has kept nothing either. */
  notify(message: Extract<ToWorker, { type: "forget" | "count_kept" }>): void {
    this.#child?.send(message);
  }

  /** Resolves when the model has loaded; rejects, with the reason, when an attempt fails before. */
  async firstLoad(signal: AbortSignal): Promise<void> {
    if (this.onDemand !== undefined) {
      await this.readyChild(signal).catch((error: unknown) => {
        const problem = this.#cannotLoad && !signal.aborted ? this.#loadProblem : undefined;
        throw problem === undefined ? error : new Error(problem.text);
      });
      return;
    }
    await this.#until(() => this.facts !== undefined || this.#cannotLoad || this.#closed, signal);
    signal.throwIfAborted();
    if (this.facts !== undefined) return;
    throw this.#loadProblem === undefined ? this.unavailable() : new Error(this.#loadProblem.text);
  }

  unavailable(): ServiceError {
    const waitMs = Math.max(0, this.#restartAtMs - performance.now());
    return new ServiceError("engine_unavailable", { retryAfterSeconds: Math.ceil(waitMs / 1000) + 1 });
  }

  /** Only on demand: ends the child, and whatever was going to start one. The next who asks starts another. */
  async sleep(): Promise<void> {
    if (this.#asleep || this.#closed) {
      await this.#leaving;
      return;
    }
    this.#asleep = true;
    this.#sleeps += 1;
    this.#wake = undefined;
    this.#readySinceMs = undefined;
    // Whatever ended earlier ones, this one was healthy.
    this.#policy = new RestartPolicy(this.options.timing);
    this.#restartAtMs = 0;
    clearTimeout(this.#restartTimer);
    this.#leaving = this.#endChild();
    await this.#leaving;
  }

  /** When it resolves, the memory is free. */
  async #endChild(): Promise<void> {
    await this.#child?.close();
    this.onDemand?.release();
    this.#leaving = undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#readySinceMs = undefined;
    clearTimeout(this.#restartTimer);
    this.#notifyWaiting();
    await this.#endChild();
  }

  /** Throws while it is too early to try again. */
  #wakeUp(): void {
    if (performance.now() < this.#restartAtMs) throw this.unavailable();
    const wake: Wake = { failure: undefined };
    this.#asleep = false;
    this.#cannotLoad = false;
    this.#wake = wake;
    void this.#loadOnDemand(wake);
  }

  async #loadOnDemand(wake: Wake): Promise<void> {
    // Its memory is not free before. Whoever asked for this load waits for it by then.
    await this.#leaving;
    try {
      const isAdmitted = await this.onDemand?.admit(() => this.#waiting.size > 0 && !this.#closed);
      if (isAdmitted === true && !this.#closed) this.#start();
      else this.#giveUp(wake, this.unavailable());
    } catch (error) {
      if (error instanceof ServiceError) {
        this.#giveUp(wake, error);
        return;
      }
      const reason = error instanceof Error ? error.message : "unknown error";
      this.#loadProblem = { cause: notBuilt, text: reason };
      this.#restartAtMs = performance.now() + pauseAfterFailureMs;
      this.handlers.onEvent({ type: "load_failed", cause: notBuilt, reason });
      this.#giveUp(wake, this.unavailable());
    }
  }

  #giveUp(wake: Wake, failure: ServiceError): void {
    wake.failure = failure;
    this.#wake = undefined;
    this.#asleep = true;
    this.onDemand?.release();
    this.#notifyWaiting();
  }

  #start(): void {
    const { onMessage } = this.handlers;
    let loadFailure: string | undefined;
    this.#child = new EngineChild(
      { ...this.options, load: this.#load },
      {
        onMessage,
        onLoaded: (facts) => {
          this.facts = facts;
          this.#hasLoaded = true;
          this.#loadProblem = undefined;
          this.#cannotLoad = false;
          this.#wake = undefined;
          this.#readySinceMs = performance.now();
          this.handlers.onEvent({ type: "loaded", ...facts });
          this.#notifyWaiting();
        },
        onLoadFailed: (reason) => {
          loadFailure = reason;
          this.#loadProblem = loadProblem(reason);
          this.handlers.onEvent({ type: "load_failed", cause: this.#loadProblem.cause, reason });
        },
        onExit: (exit) => this.#onExit(exit, loadFailure),
      },
    );
  }

  #onExit(exit: ChildExit, loadFailure: string | undefined): void {
    if (this.#leaving !== undefined) {
      this.#child = undefined;
      this.handlers.onEvent({ type: "unloaded" });
      return;
    }
    const nowMs = performance.now();
    const healthyMs = this.#readySinceMs === undefined ? 0 : nowMs - this.#readySinceMs;
    if (loadFailure === undefined) this.#exitProblem = exitProblem(exit);
    this.#child = undefined;
    this.#readySinceMs = undefined;
    this.handlers.onEvent({ type: "exited", ...exit });
    if (!this.#closed)
      this.#restartOrFallBack(this.#policy.delayAfterDeath(nowMs, healthyMs), loadFailure, exit);
    this.#notifyWaiting();
  }

  /** Starts another child: the same way, or another way when this one never worked or fails repeatedly. */
  #restartOrFallBack(delayMs: number, loadFailure: string | undefined, { signal, code }: ChildExit): void {
    const failure: EngineFailure | undefined = !this.#hasLoaded
      ? { during: "load", reason: loadFailure ?? "" }
      : this.#policy.looping
        ? { during: "run", reason: `its process kept ending (${signal ?? `exit code ${code ?? "unknown"}`})` }
        : undefined;
    const other = failure === undefined ? null : this.handlers.fallBack(failure);
    if (other === null) {
      if (loadFailure !== undefined) this.#cannotLoad = true;
      if (this.#wake === undefined) this.#restartIn(delayMs);
      else {
        this.#restartAtMs = performance.now() + delayMs;
        this.#giveUp(this.#wake, this.unavailable());
      }
      return;
    }
    const sleeps = this.#sleeps;
    void other.then((load) => {
      if (this.#closed || this.#sleeps !== sleeps) return;
      this.#load = load;
      this.#hasLoaded = false;
      this.#policy = new RestartPolicy(this.options.timing);
      this.#restartIn(0);
    });
  }

  #restartIn(delayMs: number): void {
    this.restarts += 1;
    this.#restartAtMs = performance.now() + delayMs;
    this.handlers.onEvent({ type: "restarting", delayMs, cause: this.problem?.cause });
    this.#restartTimer = setTimeout(() => this.#start(), delayMs);
  }

  #notifyWaiting(): void {
    for (const look of this.#waiting) look();
  }

  /** Waits until it holds, for a limited time if one is given. An abort ends the wait too. */
  async #until(holds: () => boolean, signal: AbortSignal, timeoutMs?: number): Promise<void> {
    if (holds() || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const stop = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (holds()) stop();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
      signal.addEventListener("abort", stop);
      this.#waiting.add(look);
    });
  }
}

const tooManyWait = (): ServiceError =>
  new ServiceError("overloaded", {
    message: "Too many requests wait for the model to be loaded. Try again in 5 s.",
    retryAfterSeconds: 5,
  });
