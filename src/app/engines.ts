/**
 * From configuration and settings to running engines. What answers for each model is read from both
 * (`models/choice/mapping.ts`); each source becomes an engine, or a pool of engines, and the fleet replaces them
 * while it runs. A model whose change cannot be carried out keeps its engine, and the operator is told why.
 */
import { isDeepStrictEqual } from "node:util";
import { EngineBuilder, type EngineParts } from "./engine-builder.js";
import { shareOf } from "./process-count.js";
import type { Config } from "../config.js";
import { chatModelIds, forEachModel, type ModelId, modelIds } from "../core/models.js";
import { type Engine, isAvailable, type Kept } from "../core/serving/engine-port.js";
import { FairQueue } from "../core/serving/fair-queue.js";
import { isOffered } from "../core/serving/required-task.js";
import { noSource } from "../engines/absent-engine.js";
import { type Assignments, type EngineSource, Fleet, type Reasons } from "../engines/fleet.js";
import { PoolEngine } from "../engines/pool/pool-engine.js";
import { cacheSaltSetting, newCacheSaltSecret } from "../engines/upstream/cache-salt.js";
import { suggestFor } from "../models/choice/best-model.js";
import type { Machine } from "../models/choice/fit-here.js";
import { configuredSource } from "../models/choice/mapping.js";
import { isStarterFile } from "../models/starter/starter.js";
import type { EngineComputeView, EngineMemberView, ModelSuggestion } from "../protocol/dashboard/engines.js";

export async function startEngines(parts: EngineParts): Promise<Engines> {
  const { config, overrides, store } = parts;
  const { engine, engineWeights } = overrides;
  const override = (answering: Engine): EngineSource => ({
    key: "override",
    ...(engineWeights === undefined ? {} : { weights: engineWeights }),
    start: () => ({ engine: answering, ready: async () => undefined }),
  });
  const secret = await store.initSetting(cacheSaltSetting, newCacheSaltSecret());
  const builder = new EngineBuilder(parts, secret);
  await builder.speed.read();
  const first =
    engine === undefined
      ? await builder.assignments(config)
      : forEachModel((model) => (isOffered(model, engine.status(model)) ? override(engine) : noSource));
  return new Engines(parts, builder, first);
}

export interface Served {
  /** The file; null where an engine elsewhere serves it. */
  weights: string | null;
  serving: string;
  contextTokens: number;
}

export type ServingPart =
  { runs: "embedded"; path: string | null } | { runs: "upstream"; url: URL; findings: readonly string[] };

export class Engines {
  readonly fleet: Fleet;
  #config: Config;
  /** Called when something else serves a model, with what did before. Must not reject. */
  onSwitched: ((model: ModelId, before: Served) => Promise<void>) | undefined;
  #following: Promise<Reasons> = Promise.resolve(new Map());
  /** The change that waits for the one under way. */
  #next: Promise<Reasons> | null = null;

  constructor(
    private readonly parts: EngineParts,
    private readonly builder: EngineBuilder,
    first: Assignments,
  ) {
    this.#config = parts.config;
    const { config, clock } = parts;
    this.fleet = new Fleet(first, {
      newQueue: (places) =>
        new FairQueue({
          capacity: () => places().capacity,
          preempts: () => places().preempts === true,
          maxLength: shareOf(config.limits.queueLength, parts.overrides.ownProcess),
          maxWaitMs: config.limits.queueWaitMs,
          clock,
        }),
      clock,
      drainMs: config.limits.drainMs,
      // Each backend may take that long to fail, and on demand there may be a wait for memory before.
      readyMs: config.engine.loadTimeoutMs * builder.gpu.ways + config.limits.queueWaitMs,
    });
  }

  /**
   * Follows what the settings and, where given, a new configuration say. Never rejects. One change is read and carried
   * out after the other: a choice that takes long to prepare must not overtake a later one. Each model is switched over
   * for itself; resolves with the reasons of those that were not.
   */
  follow(config: Config = this.#config): Promise<Reasons> {
    if (this.parts.overrides.engine !== undefined) return Promise.resolve(new Map());
    this.#config = config;
    // One that has not begun yet will read what this call is about.
    this.#next ??= this.#following.then(() => {
      this.#next = null;
      return this.#follow();
    });
    this.#following = this.#next;
    return this.#next;
  }

  /** Applies what was chosen after the first engines were chosen and before changes were followed. Never rejects. */
  async catchUp(): Promise<void> {
    if (this.parts.overrides.engine !== undefined) return;
    const isCurrent = await this.builder.isCurrent(this.#config).catch(() => true);
    if (!isCurrent) await this.follow();
  }

  /** As configured now, which a signal may have changed. */
  get configuredModels(): Config["models"] {
    return this.#config.models;
  }

  async #follow(): Promise<Reasons> {
    const { log, overrides } = this.parts;
    const before = modelIds.map((model) => ({ model, served: this.served(model) }));
    const reasons = await this.#switchOver();
    for (const { model, served } of before) {
      if (!isDeepStrictEqual(served, this.served(model))) void this.onSwitched?.(model, served);
    }
    if (reasons.size < modelIds.length) log.info("models changed");
    for (const [model, reason] of reasons) {
      log.warn("model not changed", { model });
      overrides.onNotice?.(`${model} was not switched over: ${reason}`);
    }
    return reasons;
  }

  async #switchOver(): Promise<Reasons> {
    try {
      const { sources, reasons } = await this.builder.sources(this.#config);
      return new Map([...reasons, ...(await this.fleet.assign(sources))]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown error";
      return new Map(modelIds.map((model) => [model, reason]));
    }
  }

  /**
   * Whether requests should be sent here: some model that chats can answer, and none is still being loaded at startup.
   * An unreachable engine on the network affects its own model only.
   */
  isReady(): boolean {
    const { fleet } = this;
    const isLoading = (model: ModelId) =>
      fleet.status(model).state === "starting" && !(fleet.engineOf(model) instanceof PoolEngine);
    return chatModelIds.some((model) => isAvailable(fleet.status(model))) && !chatModelIds.some(isLoading);
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.builder.grammars.close();
  }

  /** Of the process that runs the model, when it had loaded; 0 while it is not loaded; null where it runs elsewhere. */
  memoryBytes(model: ModelId): number | null {
    return this.builder.memoryBytes(this.fleet.engineOf(model));
  }

  schemasOf(accountId: string): Kept {
    return this.builder.grammars.keptOf(accountId);
  }

  /** What the model is computed on here; null where it runs elsewhere. */
  compute(model: ModelId): EngineComputeView | null {
    return this.builder.compute(this.fleet.engineOf(model));
  }

  /** For what could serve the models, beside nothing else. */
  machine(): Machine {
    const { engine } = this.#config;
    return {
      memory: { totalBytes: this.builder.machineBytes(), onDemand: engine.idleUnloadMinutes > 0 },
      configured: engine,
      bytesPerSecond: this.builder.speed.bytesPerSecond,
    };
  }

  served(model: ModelId): Served {
    const { serving, contextTokens } = this.fleet.status(model);
    return { weights: this.fleet.weightsOf(model), serving, contextTokens };
  }

  description(model: ModelId): string | null {
    return this.#config.models[model].description ?? null;
  }

  /** What to use instead of the starter; null where it is not used, or the configuration asks for it. */
  suggestion(): ModelSuggestion | null {
    const model = chatModelIds.find(
      (id) =>
        isStarterFile(this.fleet.weightsOf(id) ?? "") && configuredSource(this.#config.models, id) === null,
    );
    return model === undefined ? null : suggestFor(model, this.machine());
  }

  /** What computes the model's replies now: files of this machine, and engines on the network. */
  partsOf(model: ModelId): ServingPart[] {
    const engine = this.fleet.engineOf(model);
    if (engine.status(model).state === "off") return [];
    if (!(engine instanceof PoolEngine)) return [{ runs: "embedded", path: this.fleet.weightsOf(model) }];
    return engine
      .members(model)
      .map(({ id }) =>
        /^https?:\/\//.test(id)
          ? { runs: "upstream", url: new URL(id), findings: this.builder.upstreams.findings(id) }
          : { runs: "embedded", path: id },
      );
  }

  /** The engines of the model's pool; none where one engine answers alone. */
  members(model: ModelId): EngineMemberView[] {
    const engine = this.fleet.engineOf(model);
    if (!(engine instanceof PoolEngine)) return [];
    return engine.members(model).map(({ id, status, weight, runs, breaker, draining }) => ({
      id,
      serving: status.serving,
      state: status.state,
      note: draining ? "leaving" : breaker === "closed" ? "" : "left out",
      weight,
      active: runs,
      problem: status.problem?.text ?? null,
    }));
  }
}
