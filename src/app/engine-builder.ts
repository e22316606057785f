/**
 * Builds engines from model sources: one on this machine for a file of weights, one on the network for an
 * address, a pool for a list of them. It knows what each was built with (memory, backends) and shares what engines
 * have in common: one schema compiler, one choice of GPU, one memory budget.
 */
import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  cacheBytesOf,
  type ConfiguredSize,
  type ContextFit,
  fitBeside,
  type SizedModel,
  withDraft,
} from "../adapters/context-fit.js";
import { computingBytes, usualSequences } from "../adapters/kv-cache.js";
import type { Config } from "../config.js";
import type { Clock } from "../core/clock.js";
import { forEachModel, isChatModelId, type ModelId, modelIds } from "../core/models.js";
import type { Engine, Kept } from "../core/serving/engine-port.js";
import { plainDefaults } from "../core/serving/model-defaults.js";
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
import type { MadeMember, PoolMember } from "../engines/pool/member.js";
import { PoolEngine } from "../engines/pool/pool-engine.js";
import { Grammars } from "../engines/structured-output/grammars.js";
import type { UpstreamEngine } from "../engines/upstream/upstream-engine.js";
import type { Log } from "../log.js";
import { type DesiredSource, type Mapping, readMapping } from "../models/choice/mapping.js";
import {
  embeddingStarterFile,
  ensureEmbeddingStarter,
} from "../models/embedding-starter/embedding-starter.js";
import {
  describeMember,
  isStarter,
  type LocalSource,
  type ModelSource,
  weightsSource,
} from "../models/choice/source.js";
import { checkWeights } from "../models/gguf/check-weights.js";
import { readWeightsFacts, type WeightsFacts } from "../models/gguf/gguf.js";
import { ensureStarterWeights, type WeightsProgress } from "../models/starter/starter.js";
import { starterMirror } from "../models/starter-mirror.js";
import { WeightsError } from "../models/weights-error.js";
import { defaultsOfWeights, modelDefaults } from "../models/weights-settings.js";
import type { EngineComputeView } from "../protocol/dashboard/engines.js";
import type { EngineMember, UpstreamSource } from "../protocol/engine-member.js";
import { logEngineEvent, upstreamEvents } from "./engine-log.js";
import { SpeedRecord } from "./speed-record.js";

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
  /** Called with a sentence for the operator: what had to be done again, what could not be changed. */
  onWeightsNotice?: (notice: string) => void;
}

export interface EngineParts {
  config: Config;
  overrides: EngineOverrides;
  store: Pick<Store, "getSetting" | "initSetting" | "setSetting">;
  log: Log;
  clock: Clock;
}

/** A file of weights on this machine, and the models' wishes for it. */
interface LocalFile {
  /** Null where its header cannot be read: the engine will say why. */
  size: WeightsFacts | null;
  isMeasured: boolean;
  /** The largest that was chosen for a model which it serves; undefined leaves it to the engine's configuration. */
  contextTokens: number | undefined;
  draft: Draft | undefined;
}

/** A smaller model that guesses its tokens. */
interface Draft {
  path: string;
  size: WeightsFacts;
}

/** By path: all that serve models. */
type LocalFiles = Map<string, LocalFile>;

interface Found {
  files: LocalFiles;
  /** That were given. */
  notices: Set<string>;
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

/** Of the embedding starter, while no setting says how long idle models stay loaded. */
const usualIdleMinutes = 10;

export class EngineBuilder {
  readonly #memory = new WeakMap<Engine, number>();
  readonly #backends = new WeakMap<Engine, EngineBackends>();
  readonly #gpu: GpuChoice;
  /** Undefined where models are loaded at startup and stay loaded. */
  readonly #residency: Residency | undefined;
  /** What the caches of engines that run on the CPU have taken. */
  readonly #cacheBytes = new Map<Engine, number>();
  /** Of the latest preflight, by the engine's address. */
  readonly #findings = new Map<string, string[]>();
  readonly speed: SpeedRecord;
  /** What the latest assignments were built from. */
  #mapping: Mapping | undefined;
  /** Shared by all engines: one thread compiles the schemas. */
  readonly #grammars: Grammars;

  constructor(
    private readonly parts: EngineParts,
    private readonly cacheSaltSecret: string,
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
    this.#gpu = new GpuChoice(config, {
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

  get #processes(): number {
    return this.parts.overrides.ownProcess?.count ?? 1;
  }

  /** How many backends an engine may have to go through. */
  get ways(): number {
    return this.#gpu.ways;
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

  /** What the preflight of the engine at that address found. */
  findings(url: string): readonly string[] {
    return this.#findings.get(url) ?? [];
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
      throw new WeightsError(together(reasons, isChosen));
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
    const files: LocalFiles = new Map();
    const notices = new Set<string>();
    for (const model of modelIds) {
      const desired = mapping[model];
      try {
        if (desired.type === "unreadable") throw new WeightsError(desired.reason);
        prepared.set(model, await this.#prepareSource(model, desired.source, config, { files, notices }));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        // The starter's own errors say what to do, and nobody chose it.
        const { message } = error;
        reasons.set(model, wantsStarter(desired) ? message : `${originOf(model, desired)}: ${message}`);
      }
    }
    // Only now all files are known that share the memory, and the largest context for each.
    const sources = Object.fromEntries([...prepared].map(([model, source]) => [model, source()]));
    return { sources, reasons };
  }

  async #prepareSource(
    model: ModelId,
    source: ModelSource,
    config: Config,
    found: Found,
  ): Promise<() => EngineSource> {
    const { files } = found;
    if (source.type === "off") return () => noSource;
    if (source.type === "embedding-starter") return () => this.#embeddingStarter(model, config);
    if (source.type === "upstreams") {
      const pool = await this.#poolSource(model, source.upstreams, config, found);
      return () => pool;
    }
    const path = await this.#prepare(model, source, config, found);
    const purpose = isChatModelId(model) ? "weights" : "embedding weights";
    return () => {
      const { contextTokens: chosen, draft } = files.get(path) ?? {};
      const key = `${purpose}:${path}${chosen === undefined ? "" : ` ${chosen} tokens`}${draft === undefined ? "" : ` draft:${draft.path}`}`;
      return { key, weights: path, start: () => this.#startWeights(model, path, config, files) };
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

  /** Resolves with the file's path, and notes what is known of it. */
  async #prepare(
    model: ModelId,
    source: LocalSource,
    config: Config,
    { files, notices }: Found,
  ): Promise<string> {
    if (this.#processes > 1)
      throw new WeightsError(
        `${this.#processes} processes would each load the weights. Set SOTTO_PROCESSES to 1, or have an engine on the network serve the model.`,
      );
    const path = await this.#ensure(model, source, config, notices);
    const known = files.get(path);
    const size = known?.size ?? (await readWeightsFacts(path).catch(() => null));
    const chosen = [known?.contextTokens, source.type === "weights" ? source.contextTokens : undefined];
    const contextTokens = chosen.reduce((a, b) =>
      a === undefined || b === undefined ? (a ?? b) : Math.max(a, b),
    );
    const draft = known?.draft ?? (await this.#draftOf(model, source));
    files.set(path, { size, isMeasured: await this.speed.readFile(path, size), contextTokens, draft });
    return path;
  }

  async #draftOf(model: ModelId, source: LocalSource): Promise<Draft | undefined> {
    if (source.type !== "weights" || source.draft === undefined) return undefined;
    const path = resolve(source.draft);
    const size = await checkWeights(path, { availableBytes: Infinity }, model);
    return { path: await realpath(path), size };
  }

  /**
   * The starter is created where it is missing; any other file is checked, so that a switch to an unusable one leaves
   * the running one in place. Resolves symbolic links: the same file under two names is loaded once. No notice is given
   * twice.
   */
  async #ensure(model: ModelId, source: LocalSource, config: Config, notices: Set<string>): Promise<string> {
    await this.#gpu.settle();
    const fetch = starterMirror(config.downloads.starterSource);
    if (source.type === "embedding-starter")
      return ensureEmbeddingStarter(resolve(config.service.dataDir), { fetch });
    if (source.type === "starter") {
      const { onWeightsProgress: onProgress, onWeightsNotice } = this.parts.overrides;
      const onNotice = (notice: string) => {
        if (!notices.has(notice)) onWeightsNotice?.(notice);
        notices.add(notice);
      };
      const corrects = config.engine.reencodeStarter === "on";
      const dataDir = resolve(config.service.dataDir);
      return realpath(await ensureStarterWeights(dataDir, { onProgress, onNotice, corrects, fetch }));
    }
    const path = resolve(source.path);
    // Whether it fits into memory was checked when it was chosen.
    await checkWeights(path, { availableBytes: Infinity }, model);
    return realpath(path);
  }

  schemasOf(accountId: string): Kept {
    return this.#grammars.keptOf(accountId);
  }

  close(): Promise<void> {
    return this.#grammars.close();
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
  #fit(model: SizedModel, files: LocalFiles, path: string, { engine }: Config): ContextFit {
    const others = [...files].flatMap(([other, { size, contextTokens, draft }]) =>
      size === null || other === path
        ? []
        : [{ size: withDraft(size, draft?.size ?? null), configured: configuredSize(engine, contextTokens) }],
    );
    return fitBeside(model, others, {
      totalBytes: this.machineBytes(),
      onDemand: this.#residency !== undefined,
      // On demand others leave their memory first.
      ...(this.#residency === undefined ? { freeBytes: this.#availableBytes() } : {}),
    });
  }

  #startWeights(
    model: ModelId,
    path: string,
    config: Config,
    files: LocalFiles,
    failsOver = false,
  ): StartedEngine {
    const { size: own = null, isMeasured = true, contextTokens, draft } = files.get(path) ?? {};
    const size = own === null ? null : withDraft(own, draft?.size ?? null);
    const engineConfig = { ...config.engine, ...configuredSize(config.engine, contextTokens) };
    const fit =
      size === null ? undefined : this.#fit({ size, configured: engineConfig }, files, path, config);
    const residency = this.#residency;
    const onDemand =
      residency === undefined || fit === undefined || size === null
        ? undefined
        : {
            residency,
            size: { weightsBytes: size.bytes, workingBytes: cacheBytesOf(size, fit) + computingBytes },
            clock: this.parts.clock,
            maxWaiting: config.limits.queueLength + fit.sequences,
            waitMs: config.limits.queueWaitMs + config.engine.loadTimeoutMs * this.ways,
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
    const backends = this.#gpu.forEngine(subjectOf(path, given.config));
    const engine = new LlamaEngine({
      weights: path,
      draft: draft?.path,
      task: isChatModelId(model) ? "chat" : size?.ranks === true ? "rank" : "embed",
      backends,
      models: modelDefaults(config.models, defaultsOfWeights(path)),
      // On demand its size is fixed, whatever computes it.
      config: onDemand === undefined ? given.config : { ...given.config, ...fit },
      cpuFit: fit,
      ...{ measures, onDemand, failsOver, grammars: this.#grammars, workerFile: overrides.workerFile },
      onEvent: (event) => {
        if (event.type === "loaded") {
          this.#memory.set(engine, event.memoryBytes);
          const cacheBytes = size === null ? 0 : cacheBytesOf(size, event);
          if (event.gpu === "cpu") this.#cacheBytes.set(engine, cacheBytes);
          onLoaded?.(event);
        }
        if (event.type === "load_failed" && event.cause === "NOT_BUILT")
          overrides.onWeightsNotice?.(`${model} cannot be used: ${event.reason}`);
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
    config: Config,
    found: Found,
  ): Promise<EngineSource> {
    const listed = await Promise.all(members.map((member) => this.#poolMember(model, member, config, found)));
    return {
      key: `pool:${model}`,
      start: () => {
        const pool = new PoolEngine(listed, {
          clock: this.parts.clock,
          drainMs: config.limits.drainMs,
          keepsAffinity: config.engine.prefixReuse === "on",
        });
        return { engine: pool, ready: (signal) => pool.ready(signal) };
      },
      update: (pool) => {
        if (pool instanceof PoolEngine) pool.setMembers(listed);
      },
    };
  }

  async #poolMember(model: ModelId, member: EngineMember, config: Config, found: Found): Promise<PoolMember> {
    const { weight } = member;
    const common = { id: describeMember(member), settings: settingsOf(member), weight };
    if ("url" in member) {
      await this.#preflight(member, config);
      // Loaded here, since many installations have no engine on the network.
      const { UpstreamEngine } = await import("../engines/upstream/upstream-engine.js");
      return { ...common, make: () => this.#startUpstream(UpstreamEngine, member, config) };
    }
    const path = await this.#prepare(model, weightsSource(member.weights, model), config, found);
    return {
      ...common,
      make: () => {
        const started = this.#startWeights(model, path, config, found.files, true);
        const { engine, isOnDemand = false, ready } = started;
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
      { ...member, timeouts, models, cacheSaltSecret, processes: this.#processes },
      { grammars: this.#grammars, ...upstreamEvents(this.parts.log, member) },
    );
    // A server may be started after this one: it is checked once, whatever the result.
    return { engine, waiting: () => engine.waiting(), ready: () => engine.checked() };
  }

  /** Reports what the preflight found; rejects for an engine that must not be used. */
  async #preflight(member: UpstreamSource, { engine }: Config): Promise<void> {
    const { preflight } = await import("../engines/upstream/checks/preflight.js");
    const findings = await preflight(member, { strict: engine.strictPreflight });
    this.#findings.set(
      member.url,
      findings.map(({ text }) => text),
    );
    for (const { level, text } of findings) {
      if (level === "refuse") throw new WeightsError(text);
      this.parts.overrides.onWeightsNotice?.(`${member.url}: ${text}`);
    }
  }
}

/** What was chosen with the weights takes precedence. */
const configuredSize = (
  { sequences, contextTokens, cacheType }: Config["engine"],
  chosen: number | undefined,
): ConfiguredSize => ({ sequences, contextTokens: chosen ?? contextTokens, cacheType });

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

const wantsStarter = (desired: DesiredSource | undefined): boolean =>
  desired?.type === "source" && isStarter(desired.source);

/** All errors, those that models share once; with advice where an operator's choice is at fault. */
function together(reasons: Reasons, isChosen: boolean): string {
  const different = [...new Set(reasons.values())];
  const advice = "Give it a GGUF file, a server, or 'starter' for the weights that come with Sotto.";
  return [...different, ...(isChosen ? [advice] : [])].join("\n");
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
