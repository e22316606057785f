/**
 * Builds engines from model sources: one on this machine for a file of weights, one on the network for an
 * address, a pool for a list of them. It knows what each was built with (memory, backends) and shares what engines
 * have in common: one schema compiler, one choice of GPU, one memory budget.
 */
import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import { type ModelId, modelIds } from "../core/models.js";
import type { Engine } from "../core/serving/engine-port.js";
import { plainDefaults } from "../core/serving/model-defaults.js";
import type { Store } from "../core/store.js";
import type { Assignments, EngineSource, Reasons, StartedEngine } from "../engines/fleet.js";
import { availableMemory } from "../engines/llama/cgroup.js";
import { backendNames } from "../engines/llama/backends.js";
import type { EngineBackends, GpuChoice } from "../engines/llama/gpu/choice.js";
import { failureNotice, failureText } from "../engines/llama/gpu/failure-text.js";
import { wordsOf } from "../engines/llama/gpu/failures.js";
import { ownLibrary } from "../engines/llama/gpu/library/own-library.js";
import { chooseBackends, type GpuMachine } from "../engines/llama/gpu/machine.js";
import type { LoadSubject } from "../engines/llama/gpu/probe-cache.js";
import type { ChildExit } from "../engines/llama/host/engine-causes.js";
import { LlamaEngine, type LlamaEngineOptions, type LlamaEvent } from "../engines/llama/host/llama-engine.js";
import { Residency } from "../engines/llama/host/residency.js";
import { residentSize } from "../engines/llama/host/resident-size.js";
import { type MadeMember, MemberList, type MemberSource } from "../engines/pool/member-list.js";
import { PoolEngine } from "../engines/pool/pool-engine.js";
import { Grammars } from "../engines/structured-output/grammars.js";
import type { UpstreamEngine, UpstreamEngineParts } from "../engines/upstream/upstream-engine.js";
import type { Log } from "../log.js";
import { type DesiredSource, type Mapping, readMapping } from "../models/choice/mapping.js";
import { describeMember, type ModelSource, weightsSource } from "../models/choice/source.js";
import { readWeightsFacts } from "../models/gguf/gguf.js";
import { prepareWeights } from "../models/choice/prepare-weights.js";
import type { WeightsProgress } from "../models/starter/starter.js";
import { WeightsError } from "../models/weights-error.js";
import { defaultsOfWeights, modelDefaults } from "../models/weights-settings.js";
import type { EngineComputeView } from "../protocol/dashboard/engines.js";
import type { EngineMember, UpstreamSource } from "../protocol/engine-member.js";

export interface EngineOverrides {
  /** Answers instead of the configured engines. */
  engine?: Engine;
  /** The weights file that it reports. */
  engineWeights?: string;
  /** Where the engine's child process starts; differs when the program runs from its sources. */
  workerFile?: string;
  /** Replaces this machine's GPU. */
  gpu?: GpuMachine;
  /** Replaces this machine's memory, where models are loaded on demand. */
  availableBytes?: () => number;
  /** Called while the starter weights are prepared. */
  onWeightsProgress?: WeightsProgress;
  /** Called with a sentence for the operator: what had to be done again, what could not be changed. */
  onWeightsNotice?: (notice: string) => void;
}

export interface EngineParts {
  config: Config;
  overrides: EngineOverrides;
  store: Pick<Store, "getSetting" | "initSetting">;
  log: Log;
  clock: Clock;
}

type EngineStart = Pick<LlamaEngineOptions, "config" | "onDemand">;

/** Builds engines from sources. */
export class EngineBuilder {
  readonly #memory = new WeakMap<Engine, number>();
  readonly #backends = new WeakMap<Engine, EngineBackends>();
  readonly #gpu: GpuChoice;
  /** Undefined where models are loaded at startup and stay loaded. */
  readonly #residency: Residency | undefined;
  /** Of the pools that run. */
  readonly #lists = new WeakMap<Engine, MemberList>();
  /** What the latest assignments were built from. */
  #mapping: Mapping | undefined;
  /** Shared by all engines: one thread compiles the schemas. */
  readonly #grammars: Grammars;

  constructor(
    private readonly parts: EngineParts,
    private readonly cacheSaltSecret: string,
  ) {
    const { config, overrides, log, clock } = parts;
    const { idleUnloadMinutes } = config.engine;
    if (idleUnloadMinutes > 0) {
      this.#residency = new Residency({
        clock,
        idleMs: idleUnloadMinutes * 60_000,
        waitMs: config.limits.queueWaitMs,
        availableBytes: overrides.availableBytes ?? (() => availableMemory()),
      });
    }
    this.#gpu = chooseBackends(config, {
      ...overrides.gpu,
      now: () => clock.now(),
      onProbing: (backend) => {
        overrides.onWeightsNotice?.(
          `Checking that ${backendNames[backend]} works here, once for this driver ...`,
        );
      },
      onFailed: (failure, next) => {
        const { backend: gpu, kind: gpuFailure, words: gpuError } = failure;
        log.warn("gpu not used", { gpu, gpuFailure, gpuError, fallback: next });
        overrides.onWeightsNotice?.(failureNotice(failure, next));
      },
    });
    this.#grammars = new Grammars({ keeps: parts.config.engine.prefixReuse === "on" });
  }

  /** How many backends an engine may have to go through. */
  get ways(): number {
    return this.#gpu.ways;
  }

  /** Of a pool: the first of its engines that runs here. */
  compute(engine: Engine): EngineComputeView | null {
    const engines = this.#lists.get(engine)?.engines ?? [engine];
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
      throw new WeightsError(
        `${[...reasons.values()].join("\n")}\nGive it a GGUF file, a server, or 'starter' for the weights that come with Sotto.`,
      );
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
    const sources: Partial<Record<ModelId, EngineSource>> = {};
    const reasons = new Map<ModelId, string>();
    for (const model of modelIds) {
      const desired = mapping[model];
      try {
        if (desired.type === "unreadable") throw new WeightsError(desired.reason);
        sources[model] = await this.#sourceOf(model, desired.source, config);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        reasons.set(model, `${originOf(model, desired)}: ${error.message}`);
      }
    }
    return { sources, reasons };
  }

  async #sourceOf(model: ModelId, source: ModelSource, config: Config): Promise<EngineSource> {
    if (source.type === "upstreams") return this.#poolSource(model, source.upstreams, config);
    const path = await this.#prepare(source, config);
    const sized = await this.#sized(path, config);
    return { key: `weights:${path}`, weights: path, start: () => this.#startWeights(path, config, sized) };
  }

  /** Resolves symbolic links: the same file under two names is loaded once. */
  async #prepare(source: Exclude<ModelSource, { type: "upstreams" }>, config: Config): Promise<string> {
    const { onWeightsProgress, onWeightsNotice } = this.parts.overrides;
    await this.#gpu.settle();
    const path = await prepareWeights(source, {
      dataDir: config.service.dataDir,
      onProgress: onWeightsProgress,
      onNotice: onWeightsNotice,
      corrects: config.engine.reencodeStarter === "on",
    });
    return realpath(path);
  }

  close(): Promise<void> {
    return this.#grammars.close();
  }

  /** The options of an engine for this file; where it is loaded on demand, its size is fixed. */
  async #sized(path: string, { engine, limits }: Config): Promise<EngineStart> {
    const residency = this.#residency;
    if (residency === undefined) return { config: engine };
    const { sizing, size } = residentSize(await readWeightsFacts(path), engine, residency.memoryBytes);
    const { clock } = this.parts;
    const onDemand = {
      residency,
      size,
      clock,
      maxWaiting: limits.queueLength + sizing.sequences,
      waitMs: limits.queueWaitMs + engine.loadTimeoutMs * this.ways,
    };
    return { config: { ...engine, ...sizing }, onDemand };
  }

  #startWeights(path: string, config: Config, sized: EngineStart, failsOver = false): StartedEngine {
    const backends = this.#gpu.forEngine(subjectOf(path, config));
    const engine = new LlamaEngine({
      weights: path,
      backends,
      models: modelDefaults(config.models, defaultsOfWeights(path)),
      ...sized,
      onEvent: (event) => {
        if (event.type === "loaded") this.#memory.set(engine, event.memoryBytes);
        if (event.type === "unloaded") this.#memory.set(engine, 0);
        logEngineEvent(this.parts.log, event);
      },
      libraryOf: (backend) => ownLibrary(config.service.dataDir, backend)?.folder,
      workerFile: this.parts.overrides.workerFile,
      failsOver,
      grammars: this.#grammars,
    });
    this.#backends.set(engine, backends);
    const isOnDemand = sized.onDemand !== undefined;
    if (isOnDemand) this.#memory.set(engine, 0);
    return { engine, isOnDemand, ready: (signal) => untilLoaded(engine, path, signal) };
  }

  /** A model keeps its pool while the members change. */
  async #poolSource(model: ModelId, members: readonly EngineMember[], config: Config): Promise<EngineSource> {
    const sources = await Promise.all(members.map((member) => this.#memberSource(member, config)));
    return {
      key: `pool:${model}`,
      start: () => {
        const list = new MemberList();
        const { clock } = this.parts;
        const pool = new PoolEngine(list.list(sources), {
          clock,
          drainMs: config.limits.drainMs,
          keepsAffinity: config.engine.prefixReuse === "on",
        });
        this.#lists.set(pool, list);
        return { engine: pool, ready: (signal) => list.ready(signal) };
      },
      update: (pool) => {
        const list = this.#lists.get(pool);
        if (pool instanceof PoolEngine && list !== undefined) pool.setMembers(list.list(sources));
      },
    };
  }

  async #memberSource(member: EngineMember, config: Config): Promise<MemberSource> {
    const { weight } = member;
    const common = { id: describeMember(member), settings: settingsOf(member), weight };
    if ("url" in member) {
      await this.#preflight(member, config);
      // Loaded here, since many installations have no engine on the network.
      const { UpstreamEngine } = await import("../engines/upstream/upstream-engine.js");
      return { ...common, make: () => this.#startUpstream(UpstreamEngine, member, config) };
    }
    const path = await this.#prepare(weightsSource(member.weights), config);
    const sized = await this.#sized(path, config);
    return {
      ...common,
      make: () => {
        const { engine, isOnDemand = false, ready } = this.#startWeights(path, config, sized, true);
        return { engine, restartsItself: true, ready: isOnDemand ? async () => undefined : ready };
      },
    };
  }

  #startUpstream(Upstream: typeof UpstreamEngine, member: UpstreamSource, config: Config): MadeMember {
    const { firstTokenTimeoutMs: firstTokenMs, nextTokenTimeoutMs: nextTokenMs } = config.engine;
    const timeouts = { firstTokenMs, nextTokenMs, ...member.timeouts };
    const { cacheSaltSecret } = this;
    const models = modelDefaults(config.models, plainDefaults);
    const engine = new Upstream(
      { ...member, timeouts, models, cacheSaltSecret },
      { grammars: this.#grammars, ...upstreamEvents(this.parts.log, member) },
    );
    // A server may be started after this one: it is checked once, whatever the result.
    return { engine, waiting: () => engine.waiting(), ready: () => engine.checked() };
  }

  /** Reports what the preflight found; rejects for an engine that must not be used. */
  async #preflight(member: UpstreamSource, { engine }: Config): Promise<void> {
    const { preflight } = await import("../engines/upstream/checks/preflight.js");
    for (const { level, text } of await preflight(member, { strict: engine.strictPreflight })) {
      if (level === "refuse") throw new WeightsError(text);
      this.parts.overrides.onWeightsNotice?.(`${member.url}: ${text}`);
    }
  }
}

/** A GPU may fail with some weights or sizes and work with others. */
function subjectOf(path: string, { engine }: Config): LoadSubject {
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

function logEngineEvent(log: Log, event: LlamaEvent): void {
  switch (event.type) {
    case "loaded":
      log.info("engine loaded", event);
      return;
    case "load_failed":
      log.warn("engine did not load", { cause: event.cause, loadError: wordsOf(event.reason) });
      return;
    case "exited":
      logExit(log, event);
      return;
    case "unloaded":
      log.info("engine unloaded");
      return;
    case "restarting":
      log.warn("engine restarting", { delayMs: event.delayMs, cause: event.cause });
  }
}

function logExit(log: Log, { code: exitCode, signal: exitSignal, cause }: ChildExit): void {
  const isKilled = cause === "KILLED_BY_SYSTEM";
  const message = isKilled ? "engine killed by the system, probably out of memory" : "engine exited";
  if (cause === "CLOSED") log.info(message, { exitCode, exitSignal, cause });
  else log.warn(message, { exitCode, exitSignal, cause });
}

/** Logs when an engine on the network stops answering or recovers, and why a request to it failed. */
function upstreamEvents(
  log: Log,
  { url }: UpstreamSource,
): Pick<UpstreamEngineParts, "onState" | "onFailure"> {
  const engine = URL.canParse(url) ? new URL(url).host : undefined;
  return {
    onState: (state, cause) => {
      if (state === "ready") log.info("engine reachable", { engine });
      else log.warn("engine unreachable", { engine, cause });
    },
    onFailure: (cause) => {
      log.warn("engine request failed", { engine, cause });
    },
  };
}

/** The setting or command that the operator has to change. */
function originOf(model: ModelId, desired: DesiredSource): string {
  if (desired.type !== "source" || desired.from !== "configuration") return `sotto models use ${model}`;
  const setting = desired.source.type === "upstreams" ? "UPSTREAMS" : "WEIGHTS";
  return `SOTTO_MODELS_${model.toUpperCase()}_${setting}`;
}

/** All settings but the weight, in canonical order. */
const settingsOf = (member: EngineMember): string =>
  JSON.stringify(Object.entries({ ...member, weight: undefined }).sort(([a], [b]) => (a < b ? -1 : 1)));

export const forEachModel = (sourceOf: (model: ModelId) => EngineSource): Assignments => ({
  omega: sourceOf("omega"),
  prism: sourceOf("prism"),
  lambda: sourceOf("lambda"),
});
