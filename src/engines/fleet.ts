/**
 * The engines behind the models, as one engine whose parts can be replaced while it runs.
 *
 * Each model points at a deployment: an engine and its queue. Models with the same source share a
 * deployment, so a file is loaded once and its sequences are queued for once. `assign` starts what is new and
 * switches a model over only when the new engine can answer; one that cannot is closed again and the old one
 * stays. An engine that no model points at any more finishes what it has, requests that it is preparing included,
 * then closes. A generation belongs to the engine that prepared it, whatever has been switched since.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import { type ModelId, modelIds } from "../core/models.js";
import {
  type Engine,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  type KeptByEngine,
  type PreparedGeneration,
  sumOfKeptByEngines,
} from "../core/serving/engine-port.js";
import type { FairQueue } from "../core/serving/fair-queue.js";

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
  newQueue: (places: () => Pick<EngineStatus, "capacity" | "preempts">) => FairQueue;
  clock: Clock;
  /** How long an engine that is no longer used may take to finish its replies. */
  drainMs: number;
  readyMs: number;
}

interface Deployment extends StartedEngine {
  key: string;
  weights: string | null;
  queue: FairQueue;
  /** Requests that are being prepared: its queue does not count them yet. */
  preparing: number;
  closing: AbortController;
}

/** A prompt, and the engine that made it and alone can read it. */
class Prepared {
  constructor(
    readonly deployment: Deployment,
    readonly inner: PreparedGeneration,
  ) {}
}

const drainPollMs = 100;
const idleLooksNeeded = 5;

export class Fleet implements Engine {
  readonly #routes = new Map<ModelId, Deployment>();
  readonly #deployments = new Set<Deployment>();
  /** Those that finish what they have and close. */
  readonly #draining = new Map<Deployment, Promise<void>>();
  /** Serializes assignments. */
  #assigning: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** The first engines answer for their models at once, though they may still be loading. */
  constructor(
    first: Assignments,
    private readonly options: FleetOptions,
  ) {
    for (const model of modelIds) this.#routes.set(model, this.#deploymentFor(model, first[model]));
  }

  /** Resolves when every model can answer, or is loaded on demand; rejects with the first reason why one cannot. */
  async ready(): Promise<void> {
    const awaited = [...new Set(this.#routes.values())].filter(({ isOnDemand }) => isOnDemand !== true);
    await Promise.all(awaited.map((deployment) => this.#whenReady(deployment)));
  }

  /** A model without a source, and one whose engine cannot be started, keep the engine they have. */
  assign(wanted: Partial<Assignments>): Promise<Reasons> {
    const assigned = this.#assigning.then(() => this.#assign(wanted));
    this.#assigning = assigned.catch(() => undefined);
    return assigned;
  }

  /** Of the engine that answers for the model now, or of the one that prepared this generation. */
  queueOf(model: ModelId, prepared?: PreparedGeneration): FairQueue {
    if (prepared?.prompt instanceof Prepared) return prepared.prompt.deployment.queue;
    return this.#deploymentOf(model).queue;
  }

  /** Of all engines that models point at. */
  load(): { running: number; waiting: number } {
    const queues = [...new Set(this.#routes.values())].map(({ queue }) => queue);
    return {
      running: queues.reduce((sum, queue) => sum + queue.running, 0),
      waiting: queues.reduce((sum, queue) => sum + queue.waiting, 0),
    };
  }

  /**
   * The models by what answers for them: those that share an engine, and with it a queue, are together. Without those
   * that are off.
   */
  sharers(): ModelId[][] {
    const models = new Map<Deployment, ModelId[]>();
    for (const [model, deployment] of this.#routes)
      if (deployment.engine.status(model).state !== "off")
        models.set(deployment, [...(models.get(deployment) ?? []), model]);
    return [...models.values()];
  }

  engineOf(model: ModelId): Engine {
    return this.#deploymentOf(model).engine;
  }

  /** The file that answers for the model; null where no single file of this machine does. */
  weightsOf(model: ModelId): string | null {
    return this.#deploymentOf(model).weights;
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    const deployment = this.#deploymentOf(generation.model);
    deployment.preparing += 1;
    try {
      const inner = await deployment.engine.prepare(generation, signal);
      return { ...inner, prompt: new Prepared(deployment, inner) };
    } finally {
      deployment.preparing -= 1;
    }
  }

  generate(prepared: PreparedGeneration, signal: AbortSignal): AsyncIterable<readonly GenerationEvent[]> {
    const { deployment, inner } = preparedOf(prepared);
    const { maxTokens } = prepared;
    const own = inner.maxTokens === maxTokens ? inner : { ...inner, maxTokens };
    return deployment.engine.generate(own, signal);
  }

  status(model: ModelId): EngineStatus {
    return this.#deploymentOf(model).engine.status(model);
  }

  forgetAccount(accountId: string): void {
    for (const { engine } of [...this.#deployments, ...this.#draining.keys()])
      engine.forgetAccount(accountId);
  }

  async keptOf(accountId: string): Promise<KeptByEngine> {
    const engines = [...this.#deployments, ...this.#draining.keys()].map(({ engine }) => engine);
    return sumOfKeptByEngines(await Promise.all(engines.map((engine) => engine.keptOf(accountId))));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#deployments].map((deployment) => this.#closeDeployment(deployment)));
    await Promise.all(this.#draining.values());
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
        const deployment = this.#deploymentFor(model, source);
        await this.#whenReady(deployment);
        this.#routes.set(model, deployment);
      } catch (error) {
        reasons.set(model, error instanceof Error ? error.message : "unknown error");
      }
    }
    this.#drainUnused();
    return reasons;
  }

  #deploymentFor(model: ModelId, source: EngineSource): Deployment {
    for (const deployment of this.#deployments) if (deployment.key === source.key) return deployment;
    const started = source.start();
    const queue = this.options.newQueue(() => started.engine.status(model));
    const { key, weights = null } = source;
    const deployment = { key, weights, ...started, queue, preparing: 0, closing: new AbortController() };
    this.#deployments.add(deployment);
    return deployment;
  }

  #whenReady({ ready, closing }: Deployment): Promise<void> {
    return ready(AbortSignal.any([closing.signal, AbortSignal.timeout(this.options.readyMs)]));
  }

  /** Closes what no model points at, once it has finished. */
  #drainUnused(): void {
    const used = new Set(this.#routes.values());
    for (const deployment of this.#deployments) {
      if (used.has(deployment)) continue;
      // From now on the same source means a new engine.
      this.#deployments.delete(deployment);
      const drained = this.#drain(deployment).finally(() => this.#draining.delete(deployment));
      this.#draining.set(deployment, drained);
    }
  }

  async #drain(deployment: Deployment): Promise<void> {
    const { clock, drainMs } = this.options;
    const endsMs = clock.monotonicMs() + drainMs;
    // Several times in a row: between its preparation and its place in the queue a request is in neither count.
    let idleLooks = 0;
    while (idleLooks < idleLooksNeeded && clock.monotonicMs() < endsMs && !this.#closed) {
      await sleep(drainPollMs);
      const { queue, preparing } = deployment;
      idleLooks = queue.running + queue.waiting + preparing === 0 ? idleLooks + 1 : 0;
    }
    await this.#closeDeployment(deployment);
  }

  async #closeDeployment(deployment: Deployment): Promise<void> {
    deployment.closing.abort();
    await deployment.engine.close();
  }

  #deploymentOf(model: ModelId): Deployment {
    const deployment = this.#routes.get(model);
    if (deployment === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return deployment;
  }
}

function preparedOf({ prompt }: PreparedGeneration): Prepared {
  if (prompt instanceof Prepared) return prompt;
  throw new Error("This generation was prepared by another engine.");
}
