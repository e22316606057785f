/**
 * Keeps one child running: starts it, starts another when it dies, and lets requests wait for it.
 *
 * A request that comes while a child is starting waits for it, for a limited time. When children die in a
 * loop, requests are refused at once with the time of the next attempt, and the attempts go on.
 */
import { ServiceError } from "../../protocol/errors.js";
import { EngineChild, type ChildExit, type ChildHandlers, type ChildOptions } from "./child.js";
import type { LoadedFacts } from "./messages.js";
import { RestartPolicy } from "./restart-policy.js";

export interface SupervisorHandlers extends Pick<ChildHandlers, "onMessage" | "onLoaded" | "onLoadFailed"> {
  /** The child is gone, with everything it was doing. */
  onExited: (exit: ChildExit) => void;
  onRestarting: (delayMs: number) => void;
}

export class Supervisor {
  readonly #policy: RestartPolicy;
  /** Each looks again whether what it waits for has happened. */
  readonly #waiting = new Set<() => void>();
  #child: EngineChild | undefined;
  #facts: LoadedFacts | undefined;
  /** When the child became able to answer; undefined while it cannot. */
  #readySinceMs: number | undefined;
  #loadFailure: string | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #restartAtMs = 0;
  #restarts = 0;
  #closed = false;

  constructor(
    private readonly options: ChildOptions,
    private readonly handlers: SupervisorHandlers,
  ) {
    this.#policy = new RestartPolicy(options.timing);
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isReady(): boolean {
    return this.#readySinceMs !== undefined;
  }

  /** Of the latest child that loaded. */
  get facts(): LoadedFacts | undefined {
    return this.#facts;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** The child, once it can answer. Throws `engine_unavailable` when that is not soon. */
  async readyChild(signal: AbortSignal): Promise<EngineChild> {
    const settled = () => this.isReady || this.#closed || this.#policy.looping;
    await this.#until(settled, signal, this.options.timing.readyWaitMs);
    signal.throwIfAborted();
    if (!this.isReady || this.#child === undefined) throw this.unavailable();
    return this.#child;
  }

  /** Resolves when the model has loaded; rejects, with the reason, when an attempt fails before. */
  async firstLoad(signal: AbortSignal): Promise<void> {
    await this.#until(
      () => this.#facts !== undefined || this.#loadFailure !== undefined || this.#closed,
      signal,
    );
    signal.throwIfAborted();
    if (this.#facts !== undefined) return;
    throw this.#loadFailure === undefined ? this.unavailable() : new Error(this.#loadFailure);
  }

  unavailable(): ServiceError {
    const waitMs = Math.max(0, this.#restartAtMs - performance.now());
    return new ServiceError("engine_unavailable", { retryAfterSeconds: Math.ceil(waitMs / 1000) + 1 });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#readySinceMs = undefined;
    clearTimeout(this.#restartTimer);
    this.#wakeWaiting();
    await this.#child?.close();
  }

  #start(): void {
    const { onMessage } = this.handlers;
    this.#child = new EngineChild(this.options, {
      onMessage,
      onLoaded: (facts) => {
        this.#facts = facts;
        this.#readySinceMs = performance.now();
        this.handlers.onLoaded(facts);
        this.#wakeWaiting();
      },
      onLoadFailed: (reason) => {
        this.#loadFailure ??= reason;
        this.handlers.onLoadFailed(reason);
      },
      onExit: (exit) => {
        this.#onExit(exit);
      },
    });
  }

  #onExit(exit: ChildExit): void {
    const nowMs = performance.now();
    const healthyMs = this.#readySinceMs === undefined ? 0 : nowMs - this.#readySinceMs;
    this.#child = undefined;
    this.#readySinceMs = undefined;
    this.#loadFailure ??= `The engine's process ended while loading (${exit.signal ?? exit.code ?? "not started"}).`;
    this.handlers.onExited(exit);
    if (!this.#closed) this.#restartIn(this.#policy.delayAfterDeath(nowMs, healthyMs));
    this.#wakeWaiting();
  }

  #restartIn(delayMs: number): void {
    this.#restarts += 1;
    this.#restartAtMs = performance.now() + delayMs;
    this.handlers.onRestarting(delayMs);
    this.#restartTimer = setTimeout(() => {
      this.#start();
    }, delayMs);
  }

  #wakeWaiting(): void {
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
