/**
 * Builds engines from model sources: one on this machine for a file of weights, one on the network for an
 * address, a pool for a list of them. It knows what each was built with (memory, backends) and shares what engines
 * have in common: one schema compiler, one choice of GPU, one memory budget.
 */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  cacheBytesOf,
  type ConfiguredSize,
  type ContextFit,
  fitBeside,
  type SizedModel,
} from "../adapters/context-fit.js";
import { computingBytes, usualSequences } from "../adapters/kv-cache.js";
import type { Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import { forEachModel, isChatModelId, type ModelId, modelIds } from "../core/models.js";
import type { Engine } from "../core/serving/engine-port.js";
import type { Store } from "../core/store.js";
import { noSource } from "../engines/absent-engine.js";
import type { Assignments, EngineSource, Reasons, StartedEngine } from "../engines/fleet.js";
import { availableMemory } from "../engines/llama/cgroup.js";
import { backendNames } from "../engines/llama/backends.js";
import { type EngineBackends, GpuChoice, type GpuMachine } from "../engines/llama/gpu/choice.js";
import { failureNotice, failureText } from "../engines/llama/gpu/failure-text.js";
import { extensionFile } from "../engines/llama/extension/extension-file.js";
import { ownLibrary } from "../engines/llama/gpu/library/own-library.js";
import type { LoadSubject } from "../engines/llama/gpu/probe-cache.js";
import { LlamaEngine, type OnDemandOptions } from "../engines/llama/host/llama-engine.js";
import { Residency } from "../engines/llama/host/residency.js";
import type { LoadedFacts } from "../engines/llama/messages.js";
import type { PoolMember } from "../engines/pool/member.js";
import { PoolEngine } from "../engines/pool/pool-engine.js";
import { Grammars } from "../engines/structured-output/grammars.js";
import type { Log } from "../log.js";
import { type Mapping, readMapping } from "../models/choice/mapping.js";
import {
  embeddingStarterFile,
  ensureEmbeddingStarter,
} from "../models/embedding-starter/embedding-starter.js";
import { describeMember, type ModelSource, weightsSource } from "../models/choice/source.js";
import type { WeightsFacts } from "../models/gguf/gguf.js";
import type { WeightsProgress } from "../models/starter/starter-file.js";
import { starterMirror } from "../models/starter-mirror.js";
import { WeightsError } from "../models/weights-error.js";
import { defaultsOfWeights, modelDefaults } from "../models/weights-settings.js";
import type { EngineComputeView } from "../protocol/dashboard/engines.js";
import type { EngineMember } from "../protocol/engine-member.js";
import { logEngineEvent } from "./engine-log.js";
import { joinReasons, sourceError, wantsStarter } from "./source-errors.js";
import { SpeedRecord } from "./speed-record.js";
import { UpstreamMembers } from "./upstream-members.js";
import { configuredSize, type Draft, wholeSize, type WeightsFile, WeightsFiles } from "./weights-files.js";

export interface EngineOverrides {
  /** Answers instead of the configured engines. */
  engine?: Engine;
  engineWeights?: string;
  /** Where the engine's child process starts; differs when the program runs from its sources. */
  workerFile?: string;
  gpu?: GpuMachine;
  /** Replaces this machine's memory, where models are loaded on demand. */
  availableBytes?: () => number;
  /** Where it is one of several processes of a server: how many there are. */
  ownProcess?: { count: number } | undefined;
  onWeightsProgress?: WeightsProgress;
  /** Called with a sentence for the operator: what is being waited for, had to be done again, was lost. */
  onNotice?: (notice: string) => void;
}

export interface EngineParts {
  config: Config;
  overrides: EngineOverrides;
  store: Pick<Store, "getSetting" | "initSetting" | "setSetting">;
  log: Log;
  clock: Clock;
}

/** How a file is run. */
interface EngineStart {
  config: Config["engine"];
  fit: ContextFit | undefined;
  size?: WeightsFacts | null;
  draft?: Draft | undefined;
  onDemand: OnDemandOptions | undefined;
  measures?: boolean;
  failsOver?: boolean;
  onLoaded?: (facts: LoadedFacts) => void;
}

/** What is built together: from one configuration, in one memory. */
interface Building {
  config: Config;
  files: WeightsFiles;
}

/** Of the embedding starter, while no setting says how long idle models stay loaded. */
const usualIdleMinutes = 10;

export class EngineBuilder {
  readonly #memory = new WeakMap<Engine, number>();
  readonly #backends = new WeakMap<Engine, EngineBackends>();
  readonly gpu: GpuChoice;
  /** Undefined where models are loaded at startup and stay loaded. */
  readonly #residency: Residency | undefined;
  /** What the caches of engines that run on the CPU have taken. */
  readonly #cacheBytes = new Map<Engine, number>();
  readonly upstreams: UpstreamMembers;
  readonly speed: SpeedRecord;
  /** What the latest assignments were built from. */
  #mapping: Mapping | undefined;
  /** Shared by all engines: one thread compiles the schemas. */
  readonly grammars: Grammars;

  constructor(
    private readonly parts: EngineParts,
    cacheSaltSecret: string,
  ) {
    const { config, overrides, store, log, clock } = parts;
    this.speed = new SpeedRecord(store, clock);
    const { idleUnloadMinutes } = config.engine;
    if (idleUnloadMinutes > 0) {
      this.#residency = new Residency({
        clock,
        idleMs: idleUnloadMinutes * 60_000,
        waitMs: config.limits.queueWaitMs,
        availableBytes: () => this.#availableBytes(),
      });
    }
    this.gpu = new GpuChoice(config, {
      ...overrides.gpu,
      now: () => clock.now(),
      onProbing: (backend) => {
        overrides.onNotice?.(`Checking that ${backendNames[backend]} works here, once for this driver ...`);
      },
      onFailed: (failure, next) => {
        const { backend: gpu, kind: gpuFailure, words: gpuError } = failure;
        log.warn("gpu not used", { gpu, gpuFailure, gpuError, fallback: next });
        overrides.onNotice?.(failureNotice(failure, next));
      },
    });
    this.grammars = new Grammars({ keeps: config.engine.prefixReuse === "on" });
    this.upstreams = new UpstreamMembers({
      ...{ log, grammars: this.grammars, cacheSaltSecret },
      ...{ processes: this.#processes, onNotice: overrides.onNotice },
    });
  }

  get #processes(): number {
    return this.parts.overrides.ownProcess?.count ?? 1;
  }

  /** Of a pool: the first of its engines that runs here. */
  compute(engine: Engine): EngineComputeView | null {
    const engines = engine instanceof PoolEngine ? engine.engines : [engine];
    const backends = engines.flatMap((one) => this.#backends.get(one) ?? [])[0];
    if (backends === undefined) return null;
    return {
      backend: backends.current,
      failures: backends.failures().map((failure) => ({ backend: failure.backend, ...failureText(failure) })),
    };
  }

  memoryBytes(engine: Engine): number | null {
    return this.#memory.get(engine) ?? null;
  }

  /** Whether the settings still match the latest assignments. */
  async isCurrent(config: Config): Promise<boolean> {
    return isDeepStrictEqual(await readMapping(this.parts.store, config.models), this.#mapping);
  }

  /** For every model. Rejects with all errors together, each with its model. */
  async assignments(config: Config): Promise<Assignments> {
    const { sources, reasons } = await this.sources(config);
    if (reasons.size > 0) {
      const isChosen = [...reasons.keys()].some((model) => !wantsStarter(this.#mapping?.[model]));
      throw new WeightsError(joinReasons(reasons, isChosen));
    }
    return forEachModel((model) => {
      const source = sources[model];
      if (source === undefined) throw new Error(`Nothing answers for ${model}.`);
      return source;
    });
  }

  /** For the models whose source can be used; for the others the reason why it cannot. */
  async sources(config: Config): Promise<{ sources: Partial<Assignments>; reasons: Reasons }> {
    const mapping = await readMapping(this.parts.store, config.models);
    this.#mapping = mapping;
    const prepared = new Map<ModelId, () => EngineSource>();
    const reasons = new Map<ModelId, string>();
    const { onWeightsProgress: onProgress, onNotice } = this.parts.overrides;
    const files = new WeightsFiles(config, {
      ...{ speed: this.speed, processes: this.#processes, onProgress, onNotice },
      settle: () => this.gpu.settle(),
    });
    for (const model of modelIds) {
      const desired = mapping[model];
      try {
        if (desired.type === "unreadable") throw new WeightsError(desired.reason);
        prepared.set(model, await this.#prepareSource(model, desired.source, { config, files }));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        reasons.set(model, sourceError(model, desired, error));
      }
    }
    // Only now all files are known that share the memory, and the largest context for each.
    const sources = Object.fromEntries([...prepared].map(([model, source]) => [model, source()]));
    return { sources, reasons };
  }

  async #prepareSource(model: ModelId, source: ModelSource, building: Building): Promise<() => EngineSource> {
    if (source.type === "off") return () => noSource;
    if (source.type === "embedding-starter") return () => this.#embeddingStarter(model, building.config);
    if (source.type === "upstreams") {
      const pool = await this.#poolSource(model, source.upstreams, building);
      return () => pool;
    }
    const file = await building.files.prepare(model, source);
    const purpose = isChatModelId(model) ? "weights" : "embedding weights";
    return () => {
      const { path, contextTokens, draft } = file;
      const size = contextTokens === undefined ? "" : ` ${contextTokens} tokens`;
      const key = `${purpose}:${path}${size}${draft === undefined ? "" : ` draft:${draft.path}`}`;
      return { key, weights: path, start: () => this.#startWeights(model, file, building) };
    };
  }

  /**
   * Created and loaded at the first request, and unloaded when it is idle, whatever the setting for other models says:
   * a start costs nothing.
   */
  #embeddingStarter(model: ModelId, config: Config): EngineSource {
    const { idleUnloadMinutes, loadTimeoutMs: waitMs } = config.engine;
    const { clock } = this.parts;
    const dataDir = resolve(config.service.dataDir);
    const path = join(dataDir, "models", embeddingStarterFile);
    const idleMs = (idleUnloadMinutes > 0 ? idleUnloadMinutes : usualIdleMinutes) * 60_000;
    const availableBytes = () => this.#availableBytes();
    const onDemand = {
      prepare: () =>
        ensureEmbeddingStarter(dataDir, { fetch: starterMirror(config.downloads.starterSource) }),
      // Its own: so small a model is in no other's way.
      residency: new Residency({ clock, idleMs, waitMs, availableBytes }),
      size: { weightsBytes: 0, workingBytes: 0 },
      ...{ clock, waitMs, maxWaiting: config.limits.queueLength },
    };
    const fit = { sequences: usualSequences, contextTokens: 512, cacheType: "f16" } as const;
    const start = () => {
      const engine = this.#startEngine(model, path, config, { config: config.engine, fit, onDemand });
      return { engine, isOnDemand: true, ready: async () => undefined };
    };
    return { key: "embedding-starter", weights: path, start };
  }

  /** What this machine has for models: what is available, and what the caches of those that run have taken. */
  machineBytes(): number {
    if (this.#residency !== undefined) return this.#residency.memoryBytes;
    return [...this.#cacheBytes.values()].reduce((sum, bytes) => sum + bytes, this.#availableBytes());
  }

  #availableBytes(): number {
    return this.parts.overrides.availableBytes?.() ?? availableMemory();
  }

  /** The size of an engine on the CPU. On a GPU the engine looks for itself what is free there. */
  #fit(model: SizedModel, others: readonly SizedModel[]): ContextFit {
    return fitBeside(model, others, {
      totalBytes: this.machineBytes(),
      onDemand: this.#residency !== undefined,
      // On demand others leave their memory first.
      ...(this.#residency === undefined ? { freeBytes: this.#availableBytes() } : {}),
    });
  }

  #startWeights(
    model: ModelId,
    file: WeightsFile,
    { config, files }: Building,
    failsOver = false,
  ): StartedEngine {
    const { path, isMeasured, draft } = file;
    const size = wholeSize(file);
    const engineConfig = { ...config.engine, ...configuredSize(config.engine, file.contextTokens) };
    const fit =
      size === null ? undefined : this.#fit({ size, configured: engineConfig }, files.othersThan(file));
    const residency = this.#residency;
    const onDemand =
      residency === undefined || fit === undefined || size === null
        ? undefined
        : {
            residency,
            size: { weightsBytes: size.bytes, workingBytes: cacheBytesOf(size, fit) + computingBytes },
            clock: this.parts.clock,
            maxWaiting: config.limits.queueLength + fit.sequences,
            waitMs: config.limits.queueWaitMs + config.engine.loadTimeoutMs * this.gpu.ways,
          };
    let speedNoted = Promise.resolve();
    const engine = this.#startEngine(model, path, config, {
      ...{ config: engineConfig, fit, size, draft, onDemand, failsOver },
      measures: isChatModelId(model) && !isMeasured,
      onLoaded: (facts) => {
        if (size !== null && isChatModelId(model)) speedNoted = this.speed.noteLoaded(path, size, facts);
      },
    });
    const ready = async (signal: AbortSignal) => {
      await untilLoaded(engine, path, signal);
      await speedNoted;
    };
    return { engine, isOnDemand: onDemand !== undefined, ready };
  }

  #startEngine(model: ModelId, path: string, config: Config, given: EngineStart): LlamaEngine {
    const { fit, size = null, draft, onDemand, measures, failsOver, onLoaded } = given;
    const { log, overrides } = this.parts;
    const backends = this.gpu.forEngine(subjectOf(path, given.config));
    const engine = new LlamaEngine({
      weights: path,
      draft: draft?.path,
      task: isChatModelId(model) ? "chat" : size?.ranks === true ? "rank" : "embed",
      backends,
      models: modelDefaults(config.models, defaultsOfWeights(path)),
      // On demand its size is fixed, whatever computes it.
      config: onDemand === undefined ? given.config : { ...given.config, ...fit },
      cpuFit: fit,
      ...{ measures, onDemand, failsOver, grammars: this.grammars, workerFile: overrides.workerFile },
      onEvent: (event) => {
        if (event.type === "loaded") {
          this.#memory.set(engine, event.memoryBytes);
          const cacheBytes = size === null ? 0 : cacheBytesOf(size, event);
          if (event.gpu === "cpu") this.#cacheBytes.set(engine, cacheBytes);
          onLoaded?.(event);
        }
        if (event.type === "load_failed" && event.cause === "NOT_BUILT")
          overrides.onNotice?.(`${model} cannot be used: ${event.reason}`);
        if (event.type === "unloaded") this.#memory.set(engine, 0);
        if (event.type === "unloaded" || event.type === "exited") this.#cacheBytes.delete(engine);
        logEngineEvent(log, event);
      },
      libraryOf: (backend) => ownLibrary(config.service.dataDir, backend)?.folder,
      extension: extensionFile(config),
    });
    this.#backends.set(engine, backends);
    if (onDemand !== undefined) this.#memory.set(engine, 0);
    return engine;
  }

  /** A model keeps its pool while the members change. */
  async #poolSource(
    model: ModelId,
    members: readonly EngineMember[],
    building: Building,
  ): Promise<EngineSource> {
    const { limits, engine } = building.config;
    const listed = await Promise.all(members.map((member) => this.#poolMember(model, member, building)));
    return {
      key: `pool:${model}`,
      start: () => {
        const pool = new PoolEngine(listed, {
          clock: this.parts.clock,
          drainMs: limits.drainMs,
          keepsAffinity: engine.prefixReuse === "on",
        });
        return { engine: pool, ready: (signal) => pool.ready(signal) };
      },
      update: (pool) => {
        if (pool instanceof PoolEngine) pool.setMembers(listed);
      },
    };
  }

  async #poolMember(model: ModelId, member: EngineMember, building: Building): Promise<PoolMember> {
    const { weight } = member;
    const common = { id: describeMember(member), settings: settingsOf(member), weight };
    if ("url" in member) return { ...common, make: await this.upstreams.prepare(member, building.config) };
    const file = await building.files.prepare(model, weightsSource(member.weights, model));
    return {
      ...common,
      make: () => {
        const { engine, isOnDemand = false, ready } = this.#startWeights(model, file, building, true);
        return { engine, restartsItself: true, ready: isOnDemand ? async () => undefined : ready };
      },
    };
  }
}

/** A GPU may fail with some weights or sizes and work with others. */
function subjectOf(path: string, engine: ConfiguredSize): LoadSubject {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const { sequences = "default", contextTokens = "default" } = engine;
  return { weights: path, sizes: `${bytes} bytes, ${sequences} x ${contextTokens}` };
}

/** Rejects with a message for the operator. */
async function untilLoaded(engine: LlamaEngine, path: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.ready(signal);
  } catch (error) {
    if (isTimeout(signal.reason)) throw new WeightsError(`${path} did not load in time.`);
    if (signal.aborted) throw new WeightsError(`${path} was closed before it had loaded.`);
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new WeightsError(`${path} could not be loaded: ${reason}`);
  }
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";

/** All settings but the weight, in canonical order. */
const settingsOf = (member: EngineMember): string =>
  JSON.stringify(Object.entries({ ...member, weight: undefined }).sort(([a], [b]) => (a < b ? -1 : 1)));
