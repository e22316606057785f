/**
 * The typed boundary to node-llama-cpp. Beside vectors/vector-model.ts, which opens its contexts for another purpose, its
 * only importer.
 *
 * The binding's public API evaluates sequences one by one; batching them needs calls of its native handles
 * (`_ctx`, `_model`, `_bindings`), which its types leave out. They are declared here as the C++ source of the
 * pinned version has them, and checked for when a model is loaded, so that an upgrade that moves them fails
 * with a message and not with a crash.
 */
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Llama,
  LlamaLogLevel,
  type LlamaContext,
  type LlamaModel,
  type LlamaModelOptions,
} from "node-llama-cpp";
import type { BatchContext, Sampler } from "./batch-context.js";
import type { SavedState, SequenceStates } from "./sequence-states.js";
import { quotaCores } from "../cgroup.js";
import type { GrammarState, NativeGrammars } from "./reply/lazy-grammar.js";
import { rawConfig } from "./reply/sampling-plan.js";
import {
  cacheBudget,
  cacheBytesOf,
  type ContextFit,
  fitContext,
  type ModelSize,
  withDraft,
} from "../../../adapters/context-fit.js";
import { cacheBytesPerToken, takesQuantisedCache, type AttentionShape } from "../../../adapters/kv-cache.js";
import type { LoadedFacts, LoadRequest } from "../messages.js";
import {
  batchBytes,
  chooseBatchTokens,
  chooseThreads,
  copyingPays,
  leastGpuCacheTokens,
  shareOfGpuMemory,
  usualGpuSequences,
} from "../sizing.js";
import { extendContext, type ThreadedContext } from "./extension.js";
import { openNative } from "./own-binding.js";
import {
  readVocabulary,
  requireMethods,
  type NativeModel,
  type Vocabulary,
  type VocabularySource,
} from "./vocabulary.js";

export type LoadedModel = Awaited<ReturnType<typeof loadModel>>;

interface NativeContext extends BatchContext, ThreadedContext {
  restoreCheckpoint(checkpoint: SavedState, lastPosition: number, sequenceId: number): Promise<boolean>;
}

interface Checkpoint extends SavedState {
  init(context: NativeContext, sequenceId: number): Promise<void>;
}

interface NativeClasses {
  AddonSampler: (new (model: NativeModel) => Sampler) & {
    acceptGrammarEvaluationStateToken(state: GrammarState, token: number): void;
    canBeNextTokenForGrammarEvaluationState(state: GrammarState, token: number): boolean;
  };
  AddonGrammar: new (gbnf: string, options: { addonExports: unknown }) => object;
  AddonGrammarEvaluationState: new (
    ...from: [model: NativeModel, grammar: object] | [state: GrammarState]
  ) => GrammarState;
  AddonContextSequenceCheckpoint: new () => Checkpoint;
}

const nativeCacheTypes = { f16: "F16", q8_0: "Q8_0", q4_0: "Q4_0" } as const;

const quotedLines = 3;

export const loadModel = (request: LoadRequest) => quotingLog((onLogLine) => loadWith(request, onLogLine));

/** An error has the last lines of the native log in its message. */
export async function quotingLog<Model>(
  load: (onLogLine: (line: string) => void) => Promise<Model>,
): Promise<Model> {
  const lines: string[] = [];
  let loading = true;
  const keepLine = (line: string) => {
    // Once it runs, conversations pass through the native code: what it says from then on is not kept.
    if (loading) lines.push(line.trim());
  };
  try {
    return await load(keepLine);
  } catch (error) {
    // Native log lines come through a queue of their own, a little later than the error they explain.
    await sleep(100);
    const cause = error instanceof Error ? error.message : "unknown error";
    throw new Error([cause, ...lines.slice(-quotedLines)].join("; "), { cause: error });
  } finally {
    loading = false;
    lines.length = 0;
  }
}

/** The weights, for whichever kind of context. */
export async function openModel(
  request: LoadRequest,
  gpuLayers: NonNullable<LlamaModelOptions["gpuLayers"]>,
  onLogLine: (line: string) => void,
) {
  const { llama, extension } = await openBinding(request, onLogLine);
  const model = await llama.loadModel({ modelPath: request.weights, gpuLayers });
  const { tokenizer } = model.fileInfo.metadata;
  const texts = tokenizer.ggml.tokens;
  const layers = model.fileInsights.totalLayers;
  const facts = {
    gpu: llama.gpu === false || request.gpu === "off" ? "cpu" : llama.gpu,
    gpuLayers: model.gpuLayers,
    layers,
    description: model.typeDescription,
    vocabularySize: texts.length,
    isExtended: extension !== undefined,
  } satisfies Partial<LoadedFacts>;
  const vocabularySource: VocabularySource = {
    weights: request.weights,
    binding: loadedBinding(),
    texts,
    chatTemplate: tokenizer.chat_template,
  };
  const onGpu = llama.gpu !== false && model.gpuLayers >= layers;
  return { llama, model, facts, vocabularySource, onGpu, extension, cores: coresOf(llama) };
}

/** Of a model that is loaded. */
export function vocabularyOf(model: LlamaModel, { texts }: VocabularySource): Vocabulary {
  const { _model: handle } = model as unknown as { _model: NativeModel };
  return readVocabulary(handle, texts);
}

async function loadWith(request: LoadRequest, onLogLine: (line: string) => void) {
  const opened = await openModel(request, layersOnGpu(request), onLogLine);
  const { llama, model, facts, vocabularySource, onGpu, cores, extension } = opened;
  const { vocabularySize } = facts;
  const shape = attentionShape(model);
  const size = sizeOf(model);
  const draft = await openDraft(llama, request, vocabularySource.texts);
  const wholeSize = withDraft(size, draft === undefined ? null : sizeOf(draft));
  const batchFacts = {
    freeGpuBytes: onGpu ? (await llama.getVramState()).free : undefined,
    vocabularySize,
    embeddingLength: shape.embeddingLength,
  };
  const batchSize = chooseBatchTokens(batchFacts);
  const sizing =
    batchFacts.freeGpuBytes === undefined
      ? // The host has decided already where the CPU computes all of it. Also knows the limit of a container.
        fitContext(wholeSize, request, cacheBudget(process.availableMemory(), wholeSize.bytes))
      : fitContext(
          wholeSize,
          request,
          (batchFacts.freeGpuBytes - batchBytes(batchSize, batchFacts)) * shareOfGpuMemory,
          usualGpuSequences,
        );
  const threads = request.threads ?? chooseThreads(model.size, cores, onGpu);
  const context = await model.createContext({
    sequences: sizing.sequences,
    contextSize: sizing.contextTokens,
    batchSize,
    threads,
    // Wanted everywhere; "auto" tries it and does without where the device cannot.
    flashAttention: sizing.cacheType === "f16" ? "auto" : true,
    experimentalKvCacheKeyType: nativeCacheTypes[sizing.cacheType],
    experimentalKvCacheValueType: nativeCacheTypes[sizing.cacheType],
    // The size was chosen for this machine already, or by its operator: take it or fail.
    ignoreMemorySafetyChecks: true,
    failedCreationRemedy: false,
  });
  const native = nativeHandles(llama, model, context);
  const extended = extension === undefined ? undefined : extendContext(native.context, extension);
  const threaded = extended ?? native.context;
  threaded.setThreads(threads);
  const drafting = draft === undefined ? undefined : await startDraft(llama, draft, sizing, request, cores);
  return {
    ...{ facts, vocabularySource, cores, sizing, threads, ...native },
    vocabulary: vocabularyOf(model, vocabularySource),
    setThreads: (count: number) => threaded.setThreads(count),
    devices: llama.gpu === false ? [] : await llama.getGpuDeviceNames(),
    /** Of the cache, for each token. */
    tokenBytes: cacheBytesPerToken(shape, sizing.cacheType),
    /** Whether copying a sequence costs less than going through the weights. */
    movesSequences: copyingPays(cacheBytesOf(size, { ...sizing, sequences: 1 }), model.size),
    batchTokens: context.batchSize,
    /** Where the engine's extension is in use. */
    sample: extended?.sample,
    draft: drafting,
    // One by one, by hand: the binding refers to them weakly, and would wait for ever for those that were collected.
    dispose: async () => {
      await drafting?.dispose();
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

function sizeOf(model: LlamaModel): ModelSize {
  const shape = attentionShape(model);
  return {
    bytes: model.size,
    contextTokens: model.trainContextSize,
    cacheBytesPerToken: cacheBytesPerToken(shape, "f16"),
    takesQuantisedCache: takesQuantisedCache(shape),
  };
}

/** Vocabularies are padded, each to a size of its own. */
const mostPadding = 128;

async function openDraft(
  llama: Llama,
  { weights, draft, gpu, speculation }: LoadRequest,
  texts: readonly string[],
): Promise<LlamaModel | undefined> {
  if (draft === undefined || speculation !== "on") return undefined;
  const model = await llama.loadModel({ modelPath: draft, gpuLayers: gpu === "off" ? 0 : "auto" });
  const own = model.fileInfo.metadata.tokenizer.ggml.tokens;
  const common = Math.min(own.length, texts.length);
  const isSame =
    Math.max(own.length, texts.length) - common <= mostPadding &&
    texts.slice(0, common).every((text, token) => text === own[token]);
  if (isSame) return model;
  throw new Error(
    `The draft model ${draft} has another vocabulary than ${weights}: use a smaller model of the same family.`,
  );
}

const draftBatchTokens = 256;

async function startDraft(
  llama: Llama,
  model: LlamaModel,
  sizing: ContextFit,
  request: LoadRequest,
  cores: number,
) {
  const contextTokens = Math.min(sizing.contextTokens, model.trainContextSize);
  const onGpu = llama.gpu !== false && model.gpuLayers >= model.fileInsights.totalLayers;
  const threads = request.threads ?? chooseThreads(model.size, cores, onGpu);
  const context = await model.createContext({
    ...{ sequences: 1, contextSize: contextTokens, batchSize: draftBatchTokens, threads },
    flashAttention: "auto",
    ignoreMemorySafetyChecks: true,
    failedCreationRemedy: false,
  });
  const native = nativeHandles(llama, model, context);
  native.context.setThreads(threads);
  const sampler = native.newSampler();
  sampler.applyConfig(rawConfig);
  /** The likeliest token. */
  const sample = (logitIndex: number) => native.context.sampleToken(logitIndex, sampler);
  return {
    ...{ context: native.context, sample, contextTokens },
    dispose: async () => {
      await context.dispose();
      await model.dispose();
    },
  };
}

/** Physical ones that this process may use. */
const coresOf = ({ cpuMathCores }: Llama): number =>
  Math.min(cpuMathCores, availableParallelism(), quotaCores() ?? Infinity);

async function openBinding(request: LoadRequest, onLogLine: (line: string) => void) {
  const { gpu } = request;
  const { extension, ...opened } = openNative(gpu === "off" ? "cpu" : gpu, request);
  requireMethods(Llama, ["_create"]);
  const internal = Llama as unknown as { _create(options: object): Promise<Llama> };
  const llama = await internal._create({
    ...opened,
    ...{ maxThreads: 0, numa: false, tempDir: false },
    // What the logger is given comes through a queue, which a process that aborts takes with it.
    debug: request.probing === true,
    logLevel: LlamaLogLevel.warn,
    logger: (_level: LlamaLogLevel, line: string) => onLogLine(line),
    // What its public way in would set: room for what the estimates of memory miss.
    vramPadding: (total: number) => Math.floor(Math.min(total * 0.08, 1.6 * 1024 ** 3)),
    ramPadding: (total: number) => Math.floor(Math.min(total * 0.25, 1024 ** 3)),
  });
  return { llama, extension };
}

function layersOnGpu(request: LoadRequest) {
  if (request.gpu === "off") return 0;
  if (request.probing === true) return "max";
  // Where there is a GPU, as many layers as leave room for a small cache; nothing without one.
  return { fitContext: { contextSize: leastGpuCacheTokens(request) } };
}

/** The file of the native code that this process has loaded: the binding keeps it to itself. */
function loadedBinding(): string {
  // Without the names of sockets' addresses, which take a while to look up. Not in the types of Node 20.
  Object.assign(process.report, { excludeNetwork: true });
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
  const binding = sharedObjects.find((path) => /llama-addon[^/\\]*\.node$/.test(path));
  if (binding === undefined)
    throw new Error("The native code is not where this version of Sotto looks for it.");
  return binding;
}

export function attentionShape(model: LlamaModel): AttentionShape {
  const { attention, block_count, embedding_length } = model.fileInfo.architectureMetadata;
  const heads = typeof attention?.head_count === "number" ? attention.head_count : 1;
  return {
    layers: block_count ?? 0,
    embeddingLength: embedding_length ?? 0,
    heads,
    keyValueHeads: attention?.head_count_kv ?? heads,
    keyLength: attention?.key_length,
    valueLength: attention?.value_length,
  };
}

function nativeHandles(llama: Llama, model: LlamaModel, context: LlamaContext) {
  // The compiler is told something that it does not know; the next lines check it.
  const internals = { llama, model, context } as unknown as {
    llama: { _bindings: NativeClasses };
    model: { _model: NativeModel };
    context: { _ctx: NativeContext };
  };
  const classes = internals.llama._bindings;
  const { AddonSampler, AddonGrammar, AddonGrammarEvaluationState, AddonContextSequenceCheckpoint } = classes;
  const handles = { model: internals.model._model, context: internals.context._ctx };
  requireMethods(handles.context, ["initBatch", "addToBatch", "decodeBatch", "sampleToken"]);
  requireMethods(handles.context, ["disposeSequence", "removeTokenCellsFromSequence", "setThreads"]);
  requireMethods(handles.context, ["copySequenceStateFromOtherSequence", "getSequenceKvCacheMinPosition"]);
  requireMethods(handles.context, ["restoreCheckpoint"]);
  requireMethods(AddonSampler.prototype, ["applyConfig"]);
  requireMethods(AddonSampler, [
    "acceptGrammarEvaluationStateToken",
    "canBeNextTokenForGrammarEvaluationState",
  ]);
  requireMethods(classes, ["AddonGrammar", "AddonGrammarEvaluationState", "AddonContextSequenceCheckpoint"]);
  requireMethods(AddonContextSequenceCheckpoint.prototype, ["init", "dispose"]);
  const grammars: NativeGrammars = {
    newState: (gbnf) =>
      new AddonGrammarEvaluationState(handles.model, new AddonGrammar(gbnf, { addonExports: classes })),
    copy: (state) => new AddonGrammarEvaluationState(state),
    allows: (state, token) => AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token),
    accept: (state, token) => AddonSampler.acceptGrammarEvaluationStateToken(state, token),
  };
  const states: SequenceStates = {
    save: async (sequenceId) => {
      const checkpoint = new AddonContextSequenceCheckpoint();
      await checkpoint.init(handles.context, sequenceId);
      return checkpoint;
    },
    restore: (sequenceId, state, tokens) => handles.context.restoreCheckpoint(state, tokens - 1, sequenceId),
  };
  return { context: handles.context, states, grammars, newSampler: () => new AddonSampler(handles.model) };
}
