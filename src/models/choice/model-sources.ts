/**
 * What serves the models and what could, for the Models page of the dashboard. A choice is checked before it is stored;
 * the running server then applies it like any change of that setting, without dropping a stream. A choice that cannot
 * be applied is undone, so that a restart finds what worked.
 */
import { basename, join, resolve } from "node:path";
import type { ModelSources } from "../../core/admin/ports.js";
import type {
  CatalogView,
  EnginePreflight,
  EngineRequest,
  FileView,
  ModelChoicesView,
  ModelView,
  WeightsRequest,
} from "../../core/model-views.js";
import { isChatModelId, type ModelId, modelIds } from "../../core/models.js";
import type { EngineStatus } from "../../core/serving/engine-port.js";
import type { Store } from "../../core/store.js";
import type { SizedModel } from "../../adapters/context-fit.js";
import { bestFor } from "./best-model.js";
import { activeBytesOf, type CatalogEntry, entriesFor } from "./catalog.js";
import {
  findOnServer,
  fixedBy,
  previousSource,
  requireFree,
  requirePrevious,
  storeSource,
  upstreamSource,
} from "./choose-source.js";
import {
  type ConfiguredModels,
  type DesiredSource,
  type Mapping,
  readMapping,
  sameSource,
} from "./mapping.js";
import { contextChoices, contextHere, entrySize, fitsHere, type Machine, speedHere } from "./fit-here.js";
import { fileOf, sourceView, speedView, weightsView } from "./source-views.js";
import { type ModelSource, starterOf } from "./source.js";
import { freeBytes } from "../files/disk-space.js";
import { checkWithDraft } from "../gguf/check-weights.js";
import { shownFacts } from "../gguf/gguf.js";
import { type ListedWeights, listWeights } from "../list-weights.js";
import { readSpeed } from "../measured-speed.js";
import { WeightsError } from "../weights-error.js";
import type { EngineComputeView } from "../../protocol/dashboard/engines.js";
import type { UpstreamSource } from "../../protocol/engine-member.js";

export interface ModelSourcesOptions {
  store: Pick<Store, "getSetting" | "setSetting">;
  folder: string;
  hosts: readonly string[];
  /** Without models, and before any other file is thought of. */
  machine: () => Machine;
  configured: () => ConfiguredModels;
  status: (model: ModelId) => EngineStatus;
  memoryBytes: (model: ModelId) => number | null;
  sharers: () => ModelId[][];
  compute: (model: ModelId) => EngineComputeView | null;
  /** Follows the settings now; resolves with the reasons of the models that were not switched over. */
  follow: () => Promise<ReadonlyMap<ModelId, string>>;
  preflight: (engine: UpstreamSource) => Promise<EnginePreflight["findings"]>;
}

type Change =
  | { state: "switching"; from: ModelSource | null; to: ModelSource }
  | { state: "failed"; to: ModelSource; reason: string };

export class ServedModels implements ModelSources {
  readonly #changes = new Map<ModelId, Change>();

  constructor(private readonly options: ModelSourcesOptions) {}

  async now(): Promise<ModelView[]> {
    // Before the mapping is read: a change that fails meanwhile would be shown with the source that it has left.
    const changes = new Map(this.#changes);
    const mapping = await readMapping(this.options.store, this.options.configured());
    const changeOf = (model: ModelId) => changes.get(model) ?? this.#changes.get(model);
    return Promise.all(modelIds.map((model) => this.#view(model, mapping[model], changeOf(model))));
  }

  async choices(model: ModelId | undefined): Promise<ModelChoicesView> {
    const { store, folder, hosts } = this.options;
    const mapping = await readMapping(store, this.options.configured());
    const machine = { ...this.options.machine(), others: await this.#others(mapping, model) };
    const listed = await listWeights(folder, mapping, store);
    const names = new Set(listed.map(({ path }) => basename(path)));
    const best = bestFor(machine);
    return {
      folder,
      freeDiskBytes: await freeBytes(folder),
      availableMemoryBytes: machine.memory.totalBytes,
      hosts: [...hosts],
      catalog: entriesFor(model ?? "omega").map((entry) => ({
        ...catalogView(entry, machine, names),
        isBest: entry === best?.entry && !best.isSlow,
      })),
      isAllSlow: isChatModelId(model ?? "omega") && (best?.isSlow ?? false),
      files: listed.map((item) => this.#fileView(item, machine)),
    };
  }

  /** The files of the models that stay as they are: they share the memory. */
  async #others(mapping: Mapping, model: ModelId | undefined): Promise<SizedModel[]> {
    const { folder, machine } = this.options;
    const sources = modelIds.flatMap((id) => {
      const desired = mapping[id];
      return id === model || model === undefined || desired.type === "unreadable" ? [] : [desired.source];
    });
    const paths = new Set(sources.map((source) => fileOf(folder, source)));
    const facts = await Promise.all(
      [...paths].map(async (path) => (path === null ? null : shownFacts(path))),
    );
    const { configured } = machine();
    return facts.flatMap((size) => (size === null ? [] : [{ size, configured }]));
  }

  async preflight(engine: EngineRequest): Promise<EnginePreflight> {
    return { findings: await this.#findings(upstreamSource([engine]).source) };
  }

  useWeights(model: ModelId, request: WeightsRequest): Promise<void> {
    return this.#change(model, async () => {
      const { file, force, contextTokens } = request;
      const { folder, store, configured: models } = this.options;
      const path = findOnServer(folder, file);
      const draft =
        request.draft === undefined
          ? draftOf((await readMapping(store, models()))[model], path)
          : request.draft === null
            ? undefined
            : findOnServer(folder, request.draft);
      const { memory, configured } = this.options.machine();
      const chosen = contextTokens === undefined ? {} : { contextTokens };
      const availableBytes = force === true ? Infinity : memory.totalBytes;
      await checkWithDraft(path, draft, { ...configured, ...chosen, availableBytes }, model);
      return { type: "weights", path, ...chosen, ...(draft === undefined ? {} : { draft }) };
    });
  }

  useEngine(model: ModelId, engine: EngineRequest): Promise<void> {
    return this.#change(model, async () => upstreamSource([engine]).source);
  }

  useDefault(model: ModelId): Promise<void> {
    return this.#change(model, async () => starterOf(model));
  }

  rollBack(model: ModelId): Promise<void> {
    return this.#change(model, () => requirePrevious(this.options.store, model));
  }

  async #change(model: ModelId, find: () => Promise<ModelSource>): Promise<void> {
    requireFree(this.options.configured(), model);
    const source = await find();
    const refusal = (await this.#findings(source)).find(({ level }) => level === "refuse");
    if (refusal !== undefined) throw new WeightsError(refusal.text);
    await this.#switch(model, source);
  }

  async #view(model: ModelId, desired: DesiredSource, change: Change | undefined): Promise<ModelView> {
    const { store, configured, status, memoryBytes, compute, folder, sharers } = this.options;
    const chosen = desired.type === "source" ? desired.source : null;
    const source = change?.state === "switching" ? change.from : chosen;
    const path = source === null ? null : fileOf(folder, source);
    const facts = path === null ? null : await shownFacts(path);
    const previous = await previousSource(store, model);
    const previousFile = previous === null ? null : fileOf(folder, previous);
    const chosenFile = source?.type === "weights" ? source : undefined;
    const speedOf = async (file: string | null) =>
      file === null ? null : speedView(await readSpeed(store, file));
    const { state, contextTokens, capacity, cacheType = null } = status(model);
    return {
      model,
      state,
      source: source === null ? null : sourceView(source),
      fixedBy: fixedBy(configured(), model),
      fallback: configured()[model].fallback ?? null,
      weights: facts === null ? null : weightsView(facts, this.options.machine()),
      contextTokens,
      sequences: capacity,
      cacheType,
      chosenContextTokens: chosenFile?.contextTokens ?? null,
      draft: chosenFile?.draft === undefined ? null : shownFile(folder, chosenFile.draft),
      speed: await speedOf(path),
      previousSpeed: await speedOf(previousFile),
      memoryBytes: memoryBytes(model),
      sharedWith: (sharers().find((models) => models.includes(model)) ?? []).filter((one) => one !== model),
      compute: compute(model)?.backend ?? null,
      previous: previous === null ? null : sourceView(previous),
      change: change === undefined ? null : changeView(change),
    };
  }

  #fileView({ path, facts, problem, speed, models }: ListedWeights, machine: Machine): FileView {
    const { folder } = this.options;
    return {
      file: shownFile(folder, path),
      weights: facts === null ? null : weightsView(facts, machine),
      problem,
      fits: facts === null ? "no" : fitsHere(facts, machine),
      contexts: facts === null ? [] : contextChoices(facts, machine),
      tokensPerSecond: facts === null ? null : speedHere(facts.activeBytes, machine),
      speed: speedView(speed),
      models,
    };
  }

  /** Resolves when it is stored; applied afterwards. */
  async #switch(model: ModelId, source: ModelSource): Promise<void> {
    const { store, configured } = this.options;
    if (this.#changes.get(model)?.state === "switching") {
      throw new WeightsError(`${model} is being changed already. Wait until that is done.`);
    }
    // Before the first await: of two concurrent calls one is refused.
    const change: Change = { state: "switching", from: null, to: source };
    this.#changes.set(model, change);
    try {
      const desired = (await readMapping(store, configured()))[model];
      change.from = desired.type === "source" ? desired.source : null;
      if (change.from !== null && sameSource(change.from, source)) {
        this.#changes.delete(model);
        return;
      }
      const undo = await storeSource(store, model, source);
      void this.#apply(model, source, undo);
    } catch (error) {
      this.#changes.delete(model);
      throw error;
    }
  }

  /** Never rejects. */
  async #apply(model: ModelId, source: ModelSource, undo: () => Promise<void>): Promise<void> {
    const reason = (await this.options.follow()).get(model);
    if (reason === undefined) {
      this.#changes.delete(model);
      return;
    }
    // If that cannot be stored, the setting keeps a choice that does not load; the page shows the reason either way.
    await undo().catch(() => undefined);
    this.#changes.set(model, { state: "failed", to: source, reason });
  }

  async #findings(source: ModelSource): Promise<EnginePreflight["findings"]> {
    if (source.type !== "upstreams") return [];
    const engines = source.upstreams.filter((member) => "url" in member);
    return (await Promise.all(engines.map((engine) => this.options.preflight(engine)))).flat();
  }
}

const shownFile = (folder: string, path: string): string =>
  path === join(folder, basename(path)) ? basename(path) : path;

/** Of the file that serves the model already: it is kept where only the context changes. */
const draftOf = (desired: DesiredSource, path: string): string | undefined =>
  desired.type === "source" && desired.source.type === "weights" && resolve(desired.source.path) === path
    ? desired.source.draft
    : undefined;

const changeView = (change: Change): NonNullable<ModelView["change"]> => ({
  state: change.state,
  to: sourceView(change.to),
  reason: change.state === "failed" ? change.reason : "",
});

function catalogView(
  entry: CatalogEntry,
  machine: Machine,
  here: ReadonlySet<string>,
): Omit<CatalogView, "isBest"> {
  const { id, title, licence, parametersBillion, bytes, contextTokens, goodFor, suits } = entry;
  const size = entrySize(entry);
  const name = basename(entry.uri);
  return {
    ...{ id, title, licence, parametersBillion, bytes, contextTokens, goodFor, suits: [...suits] },
    here: contextHere(size, machine),
    contexts: contextChoices(size, machine),
    // Of replies: other models have none.
    tokensPerSecond: suits.some(isChatModelId) ? speedHere(activeBytesOf(entry), machine) : null,
    fits: fitsHere(size, machine),
    file: here.has(name) ? name : null,
  };
}
