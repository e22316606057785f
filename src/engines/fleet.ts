/**
 * The engines behind the models, as one engine whose parts can be replaced while it runs.
 *
 * Each model points at a berth: an engine with the queue in front of it. Models with the same source share a
 * berth, so a file is loaded once and its sequences are queued for once. `assign` starts what is new and
 * switches a model over only when the new engine can answer; one that cannot is closed again and the old one
 * stays. An engine that no model points at any more finishes what it has, requests that it is preparing included,
 * then closes. A generation belongs to the engine that prepared it, whatever has been switched since. Only if that one
 * has closed, because its drain time ran out, is it prepared again for the current engine.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FairQueue } from "../core/serving/fair-queue.js";
import type {
  Clock,
  Engine,
  EngineStatus,
  Generation,
  GenerationEvent,
  PreparedGeneration,
} from "../core/ports.js";
import { ServiceError } from "../core/errors.js";
import { modelIds, type ModelId } from "../core/models.js";

/** Where a model's replies come from. Two with the same key are the same. */
export interface EngineSource {
  key: string;
  /** The file that answers; absent where no single file of this machine does. */
  weights?: string;
  start: () => StartedEngine;
  /** Called instead where its engine runs already: for what may change without another engine. */
  update?: (engine: Engine) => void;
}

export interface StartedEngine {
  engine: Engine;
  /** Resolves when it can answer; rejects, with a message for the operator, when it cannot. */
  ready: (signal: AbortSignal) => Promise<void>;
  /** It is loaded on first use: startup does not wait for it. */
  isOnDemand?: boolean | undefined;
}

export type Assignments = Readonly<Record<ModelId, EngineSource>>;

/** Why models were not switched over, for the operator; none for those that were. */
export type Reasons = ReadonlyMap<ModelId, string>;

export interface FleetOptions {
  newQueue: (places: () => Pick<EngineStatus, "capacity" | "setsAside">) => FairQueue;
  clock: Clock;
  /** How long an engine that is no longer used may take to finish its replies. */
  drainMs: number;
  /** How long a new engine may take to be ready. */
  readyMs: number;
}

interface Berth extends StartedEngine {
  key: string;
  weights: string | null;
  queue: FairQueue;
  /** Requests that its queue does not count: those being prepared, and those that came from another berth. */
  unqueued: number;
  /** Aborts the wait for it to be ready. */
  closing: AbortController;
}

/** A prompt, and the engine that made it and alone can read it. */
class Prepared {
  constructor(
    readonly berth: Berth,
    readonly inner: PreparedGeneration,
  ) {}
}

const drainPollMs = 100;

export class Fleet implements Engine {
  readonly #routes = new Map<ModelId, Berth>();
  readonly #berths = new Set<Berth>();
  /** Those that finish what they have. */
  readonly #leaving = new Set<Berth>();
  readonly #draining = new Set<Promise<void>>();
  /** One assignment after the other. */
  #assigning: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** The first engines answer for their models at once, though they may still be loading. */
  constructor(
    first: Assignments,
    private readonly options: FleetOptions,
  ) {
    for (const model of modelIds) this.#routes.set(model, this.#berthFor(model, first[model]));
  }

  /** Resolves when every model can answer, or can be loaded to; rejects with the first reason why one cannot. */
  async ready(): Promise<void> {
    const awaited = [...new Set(this.#routes.values())].filter(({ isOnDemand }) => isOnDemand !== true);
    await Promise.all(awaited.map((berth) => this.#whenReady(berth)));
  }

  /** A model without a source, and one whose engine cannot be started, keep the engine they have. */
  assign(wanted: Partial<Assignments>): Promise<Reasons> {
    const assigned = this.#assigning.then(() => this.#assign(wanted));
    this.#assigning = assigned.catch(() => undefined);
    return assigned;
  }

  /** Of the engine that answers for the model now, or of the one that prepared this generation. */
  queueOf(model: ModelId, prepared?: PreparedGeneration): FairQueue {
    if (prepared?.prompt instanceof Prepared) return prepared.prompt.berth.queue;
    return this.#berthOf(model).queue;
  }

  /** Of all engines that models point at. */
  load(): { running: number; waiting: number } {
    const queues = [...new Set(this.#routes.values())].map(({ queue }) => queue);
    return {
      running: queues.reduce((sum, queue) => sum + queue.running, 0),
      waiting: queues.reduce((sum, queue) => sum + queue.waiting, 0),
    };
  }

  /** The models by what answers for them: those that share an engine, and with it a queue, are together. */
  sharers(): ModelId[][] {
    const models = new Map<Berth, ModelId[]>();
    for (const [model, berth] of this.#routes) models.set(berth, [...(models.get(berth) ?? []), model]);
    return [...models.values()];
  }

  /** What answers for the model, for those who know its kind. */
  engineOf(model: ModelId): Engine {
    return this.#berthOf(model).engine;
  }

  /** The file that answers for the model; null where no single file of this machine does. */
  weightsOf(model: ModelId): string | null {
    return this.#berthOf(model).weights;
  }

  /** Most tokens of a reply to a request without `max_tokens`. */
  defaultMaxTokens(model: ModelId): number {
    return this.status(model).defaultMaxTokens;
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    for (;;) {
      const berth = this.#berthOf(generation.model);
      berth.unqueued += 1;
      try {
        const inner = await berth.engine.prepare(generation, signal);
        return { ...inner, prompt: new Prepared(berth, inner) };
      } catch (error) {
        if (!isUnavailable(error) || !this.#wasReplaced(berth, generation.model)) throw error;
      } finally {
        berth.unqueued -= 1;
      }
    }
  }

  generate(prepared: PreparedGeneration, signal: AbortSignal): AsyncIterable<readonly GenerationEvent[]> {
    const { berth, inner } = preparedOf(prepared);
    if (this.#wasReplaced(berth, inner.generation.model)) return this.#generateAgain(prepared, signal);
    return berth.engine.generate({ ...inner, maxTokens: prepared.maxTokens }, signal);
  }

  status(model: ModelId): EngineStatus {
    return this.#berthOf(model).engine.status(model);
  }

  forgetAccount(accountId: string): void {
    for (const { engine } of [...this.#berths, ...this.#leaving]) engine.forgetAccount(accountId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#berths].map((berth) => this.#closeBerth(berth)));
    await Promise.all(this.#draining);
  }

  /** On the engine that answers now. */
  async *#generateAgain(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const { generation } = preparedOf(prepared).inner;
    const { berth, inner } = preparedOf(await this.prepare(generation, signal));
    berth.unqueued += 1;
    try {
      const maxTokens = Math.min(inner.maxTokens, prepared.maxTokens);
      yield* berth.engine.generate({ ...inner, maxTokens }, signal);
    } finally {
      berth.unqueued -= 1;
    }
  }

  /** It has closed, and another engine answers for the model. */
  #wasReplaced(berth: Berth, model: ModelId): boolean {
    return berth.closing.signal.aborted && this.#berthOf(model) !== berth;
  }

  async #assign(wanted: Partial<Assignments>): Promise<Reasons> {
    const reasons = new Map<ModelId, string>();
    for (const model of modelIds) {
      if (this.#closed) return reasons;
      const source = wanted[model];
      if (source === undefined) continue;
      const current = this.#routes.get(model);
      if (current?.key === source.key) {
        source.update?.(current.engine);
        continue;
      }
      try {
        const berth = this.#berthFor(model, source);
        await this.#whenReady(berth);
        this.#routes.set(model, berth);
      } catch (error) {
        reasons.set(model, error instanceof Error ? error.message : "unknown error");
      }
    }
    this.#letGo();
    return reasons;
  }

  #berthFor(model: ModelId, source: EngineSource): Berth {
    for (const berth of this.#berths) if (berth.key === source.key) return berth;
    const started = source.start();
    const queue = this.options.newQueue(() => started.engine.status(model));
    const { key, weights = null } = source;
    const berth = { key, weights, ...started, queue, unqueued: 0, closing: new AbortController() };
    this.#berths.add(berth);
    return berth;
  }

  #whenReady({ ready, closing }: Berth): Promise<void> {
    return ready(AbortSignal.any([closing.signal, AbortSignal.timeout(this.options.readyMs)]));
  }

  /** Closes what no model points at, once it has finished. */
  #letGo(): void {
    const used = new Set(this.#routes.values());
    for (const berth of this.#berths) {
      if (used.has(berth)) continue;
      // From now on the same source means a new engine.
      this.#berths.delete(berth);
      this.#leaving.add(berth);
      const drained = this.#drain(berth).finally(() => {
        this.#draining.delete(drained);
        this.#leaving.delete(berth);
      });
      this.#draining.add(drained);
    }
  }

  async #drain(berth: Berth): Promise<void> {
    const { clock, drainMs } = this.options;
    const endsMs = clock.monotonicMs() + drainMs;
    // Twice in a row: between its preparation and its place in the queue a request is in neither count.
    let idleLooks = 0;
    while (idleLooks < 2 && clock.monotonicMs() < endsMs && !this.#closed) {
      await sleep(drainPollMs);
      const { queue, unqueued } = berth;
      idleLooks = queue.running + queue.waiting + unqueued === 0 ? idleLooks + 1 : 0;
    }
    await this.#closeBerth(berth);
  }

  async #closeBerth(berth: Berth): Promise<void> {
    berth.closing.abort();
    await berth.engine.close();
  }

  #berthOf(model: ModelId): Berth {
    const berth = this.#routes.get(model);
    if (berth === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return berth;
  }
}

function preparedOf({ prompt }: PreparedGeneration): Prepared {
  if (prompt instanceof Prepared) return prompt;
  throw new Error("This generation was prepared by another engine.");
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "engine_unavailable";
