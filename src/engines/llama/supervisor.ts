/**
 * Keeps one child running: starts it, starts another when it dies, and lets requests wait for it.
 *
 * A request that comes while a child is starting waits for it, for a limited time. When children die in a
 * loop, requests are refused at once with the time of the next attempt, and the attempts go on.
 */
import { ServiceError } from "../../protocol/errors.js";
import { EngineChild, type ChildExit, type ChildHandlers, type ChildOptions } from "./child.js";
import type { EngineFailure } from "./gpu/engine-backends.js";
import type { LoadedFacts, LoadRequest } from "./messages.js";
import { RestartPolicy } from "./restart-policy.js";

export interface SupervisorHandlers extends Pick<ChildHandlers, "onMessage" | "onLoaded" | "onLoadFailed"> {
  /** The child is gone, with everything it was doing. */
  onExited: (exit: ChildExit) => void;
  onRestarting: (delayMs: number) => void;
  /** Loading as asked does not work out: how to load instead; null when there is no other way. */
  fallBack: (failure: EngineFailure) => Promise<LoadRequest> | null;
}

export class Supervisor {
  #policy: RestartPolicy;
  #load: LoadRequest;
  /** Whether it worked at least once in the present way. */
  #hasLoaded = false;
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
    this.#load = options.load;
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
    let loadFailure: string | undefined;
    this.#child = new EngineChild(
      { ...this.options, load: this.#load },
      {
        onMessage,
        onLoaded: (facts) => {
          this.#facts = facts;
          this.#hasLoaded = true;
          this.#readySinceMs = performance.now();
          this.handlers.onLoaded(facts);
          this.#wakeWaiting();
        },
        onLoadFailed: (reason) => {
          loadFailure ??= reason;
          this.handlers.onLoadFailed(reason);
        },
        onExit: (exit) => {
          this.#onExit(exit, loadFailure);
        },
      },
    );
  }

  #onExit(exit: ChildExit, loadFailure: string | undefined): void {
    const nowMs = performance.now();
    const healthyMs = this.#readySinceMs === undefined ? 0 : nowMs - this.#readySinceMs;
    const reason =
      loadFailure ??
      `The engine's process ended while loading (${exit.signal ?? exit.code ?? "not started"}).`;
    this.#child = undefined;
    this.#readySinceMs = undefined;
    this.handlers.onExited(exit);
    if (!this.#closed) this.#goOn(this.#policy.delayAfterDeath(nowMs, healthyMs), reason, exit);
    else this.#loadFailure ??= reason;
    this.#wakeWaiting();
  }

  /** Another child in the same way, or in another when this one has not worked once or fails time and again. */
  #goOn(delayMs: number, reason: string, { signal, code }: ChildExit): void {
    const failure: EngineFailure | undefined = !this.#hasLoaded
      ? { during: "load", reason }
      : this.#policy.looping
        ? { during: "run", reason: `its process kept ending (${signal ?? `exit code ${code ?? "unknown"}`})` }
        : undefined;
    const other = failure === undefined ? null : this.handlers.fallBack(failure);
    if (other === null) {
      this.#loadFailure ??= reason;
      this.#restartIn(delayMs);
      return;
    }
    void other.then((load) => {
      if (this.#closed) return;
      this.#load = load;
      this.#hasLoaded = false;
      this.#policy = new RestartPolicy(this.options.timing);
      this.#restartIn(0);
    });
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
