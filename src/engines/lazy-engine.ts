/**
 * An engine that is built for the first request and closed when nobody has used it for a while, so that one that is
 * never used costs nothing. While it is being built, requests wait for it, for a limited time and not more than so many
 * of them. When it cannot be built, they fail with `engine_unavailable`, and after a pause the next one tries again.
 */
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { ModelId } from "../core/models.js";
import {
  type Engine,
  type EngineProblem,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  type KeptByEngine,
  nothingKeptByEngine,
  type PreparedGeneration,
} from "../core/serving/engine-port.js";
import { withTimeLimit } from "../core/time-limit.js";
import { abortable } from "./abortable.js";
import { Uses } from "./uses.js";

export interface LazyEngineOptions {
  build: () => Promise<Engine>;
  /** Called with the reason, for the operator, when it cannot be built. */
  onProblem?: ((text: string) => void) | undefined;
  /** What it says of itself while there is no engine. */
  asleep: Omit<EngineStatus, "state" | "active" | "restarts">;
  /** Longer than a request waits between its preparation and its run. */
  idleMs: number;
  waitMs: number;
  maxWaiting: number;
  clock: Clock;
}

const pauseAfterFailureMs = 10_000;

export class LazyEngine implements Engine {
  #engine: Engine | undefined;
  #building: Promise<Engine> | undefined;
  #waiting = 0;
  readonly #uses = new Uses(() => {
    if (this.#uses.count === 0 && !this.#closed) this.#closeWhenIdle();
  });
  #problem: EngineProblem | undefined;
  #failedAtMs = -Infinity;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: LazyEngineOptions) {}

  /** Undefined while there is none. */
  get inner(): Engine | undefined {
    return this.#engine;
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    const endUse = this.#use();
    try {
      const engine = await this.#built(signal);
      const inner = await engine.prepare(generation, signal);
      return { ...inner, prompt: new LazyPrompt(engine, inner) };
    } finally {
      endUse();
    }
  }

  async *generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const endUse = this.#use();
    try {
      const { engine, inner } = promptOf(prepared);
      yield* engine.generate({ ...inner, maxTokens: prepared.maxTokens }, signal);
    } finally {
      endUse();
    }
  }

  status(model: ModelId): EngineStatus {
    if (this.#engine !== undefined) {
      const status = this.#engine.status(model);
      // It starts because someone asked for it.
      return status.state === "starting" ? { ...status, state: "waking" } : status;
    }
    const state = this.#building !== undefined ? "waking" : this.#problem !== undefined ? "down" : "asleep";
    return { ...this.options.asleep, state, active: 0, restarts: 0, problem: this.#problem };
  }

  forgetAccount(accountId: string): void {
    this.#engine?.forgetAccount(accountId);
  }

  async keptOf(accountId: string): Promise<KeptByEngine> {
    return this.#engine?.keptOf(accountId) ?? nothingKeptByEngine;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const engine = await this.#building?.catch(() => undefined);
    await (this.#engine ?? engine)?.close();
  }

  async #built(signal: AbortSignal): Promise<Engine> {
    signal.throwIfAborted();
    if (this.#closed) throw unavailable();
    if (this.#engine !== undefined) return this.#engine;
    const { clock, waitMs, maxWaiting } = this.options;
    if (this.#building === undefined && clock.monotonicMs() - this.#failedAtMs < pauseAfterFailureMs) {
      throw unavailable();
    }
    if (this.#waiting >= maxWaiting) throw new ServiceError("overloaded", { retryAfterSeconds: 5 });
    this.#waiting += 1;
    try {
      this.#building ??= this.#build();
      return await abortable(withTimeLimit(this.#building, waitMs, unavailable), signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #build(): Promise<Engine> {
    try {
      const engine = await this.options.build();
      this.#engine = engine;
      this.#problem = undefined;
      return engine;
    } catch (error) {
      this.#failedAtMs = this.options.clock.monotonicMs();
      // Nothing of a request is known where it is built.
      const text = error instanceof Error ? error.message : "unknown error";
      this.#problem = { cause: "NOT_BUILT", text };
      this.options.onProblem?.(text);
      throw unavailable();
    } finally {
      this.#building = undefined;
    }
  }

  /** The returned function ends it, and may be called more than once. */
  #use(): () => void {
    clearTimeout(this.#idleTimer);
    return this.#uses.begin();
  }

  #closeWhenIdle(): void {
    this.#idleTimer = setTimeout(() => {
      const engine = this.#engine;
      this.#engine = undefined;
      void engine?.close().catch(() => undefined);
    }, this.options.idleMs);
    this.#idleTimer.unref();
  }
}

/** What the engine prepared, and the engine: another one may have been built since. */
class LazyPrompt {
  constructor(
    readonly engine: Engine,
    readonly inner: PreparedGeneration,
  ) {}
}

function promptOf({ prompt }: PreparedGeneration): LazyPrompt {
  if (prompt instanceof LazyPrompt) return prompt;
  throw new Error("This generation was prepared by another engine.");
}

const unavailable = (): ServiceError => new ServiceError("engine_unavailable", { retryAfterSeconds: 5 });
