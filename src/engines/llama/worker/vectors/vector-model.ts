/**
 * Opens a model that embeds or ranks: its weights once, and contexts made for pooling, two for each lane (lanes.ts), for
 * short inputs and for long ones. How vectors are pooled is up to the file; a head that ranks is asked for by `rank`.
 */
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { cacheBytesPerToken } from "../../../../adapters/kv-cache.js";
import type { BatchContext } from "../batch-context.js";
import { attentionShape, openModel, quotingLog } from "../addon.js";
import { extendContext, type ExtendedContext, type Extension, type ThreadedContext } from "../extension.js";
import type { LoadedFacts, LoadRequest, VectorFacts } from "../../messages.js";
import { requireMethods, type VocabularySource } from "../native-vocabulary.js";
import { chooseThreads } from "../../sizing.js";
import type { BatchLimits, Lane } from "./lanes.js";
import { chooseLanes, gpuLanes } from "./lane-sizing.js";

export interface LoadedVectorModel extends Pick<LoadedFacts, "contextTokens" | "threads"> {
  facts: Awaited<ReturnType<typeof openModel>>["facts"];
  lanes: readonly Lane[];
  most: BatchLimits;
  vocabularySource: VocabularySource;
  stripsAccents: boolean;
  rankTemplate: string | undefined;
  /** Of a head that ranks: it gives probabilities, and not their logits. */
  givesProbabilities: boolean;
  vectors: VectorFacts;
  dispose: () => Promise<void>;
}

interface NativeContext
  extends
    ThreadedContext,
    Pick<BatchContext, "initBatch" | "addToBatch" | "decodeBatch" | "disposeSequence"> {
  /** Of the first sequence in the batch. The length is only checked. */
  getEmbedding(inputTokens: number): Float64Array;
}

/** A context, and how to read what it computed of the inputs of a batch. */
interface VectorContext {
  handle: NativeContext;
  /** Where the engine's extension is used. */
  extended?: ExtendedContext;
  setThreads: (threads: number) => void;
  vectorsOf: (inputs: readonly Uint32Array[]) => Float64Array[];
}

export const loadVectorModel = (request: LoadRequest): Promise<LoadedVectorModel> =>
  quotingLog((onLogLine) => loadWith(request, onLogLine));

/**
 * On the CPU, flash attention computes in tiles of so many tokens. For fewer it takes half as long again as plain
 * attention, which in turn takes up to three times as long for many.
 */
const tileTokens = 64;

/** A token costs no less in larger ones, and the other lanes would have to wait for them. */
const mostBatch: BatchLimits = { inputs: 32, tokens: 256 };
const oneInput: BatchLimits = { inputs: 1, tokens: Infinity };

/** Those whose head ends in a softmax, in llama.cpp's `build_pooling`. */
const softmaxArchitectures = new Set(["qwen3", "qwen3vl"]);

async function loadWith(request: LoadRequest, onLogLine: (line: string) => void): Promise<LoadedVectorModel> {
  const gpuLayers = request.gpu === "off" ? 0 : { fitContext: { embeddingContext: true } };
  const opened = await openModel(request, gpuLayers, onLogLine);
  const { llama, model, facts, vocabularySource, onGpu, cores, extension } = opened;
  const { tokenizer, general } = model.fileInfo.metadata;
  const ranks = request.task === "rank";
  if (ranks && !model.fileInsights.supportsRanking)
    throw new Error("This model cannot rank documents: it has no head for it, or no text to ask it with.");
  const threads = request.threads ?? (onGpu ? gpuLanes : chooseThreads(Infinity, cores));
  const isEncoder = seesLaterTokens(model);
  const size = chooseLanes({
    threads,
    trainedTokens: model.trainContextSize,
    embeddingLength: model.embeddingVectorSize,
    cacheBytesPerToken: isEncoder ? 0 : cacheBytesPerToken(attentionShape(model), "f16"),
    availableBytes: process.availableMemory(),
  });
  const most =
    extension !== undefined && isEncoder
      ? { ...mostBatch, tokens: Math.min(mostBatch.tokens, size.contextTokens) }
      : oneInput;
  const contexts: LlamaContext[] = [];
  const open = async (
    given: Pick<ContextOptions, "contextTokens" | "flashAttention">,
    beside?: VectorContext,
  ) => {
    const context = await newContext(model, { sequences: most.inputs, ranks, ...given });
    contexts.push(context);
    return vectorContext(nativeContext(context), extension, beside);
  };
  const short = { contextTokens: Math.min(tileTokens, size.contextTokens), flashAttention: false } as const;
  const lanes: Lane[] = [];
  for (let lane = 0; lane < size.lanes; lane++) {
    const long = await open({ contextTokens: size.contextTokens, flashAttention: "auto" });
    lanes.push(laneOf(onGpu ? long : await open(short, long), long));
  }
  return {
    ...{ facts, lanes, most, vocabularySource },
    contextTokens: size.contextTokens,
    threads: onGpu ? 1 : threads,
    stripsAccents: stripsAccents(model.fileInfo.metadata),
    rankTemplate: tokenizer["chat_template.rerank"],
    givesProbabilities: softmaxArchitectures.has(general.architecture),
    vectors: { dimensions: model.embeddingVectorSize, canShorten: isMatryoshka(general) },
    // One by one, by hand, as for replies (addon.ts).
    dispose: async () => {
      for (const context of contexts) await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

interface ContextOptions {
  /** An encoder has no cache, so any number of them takes no more memory. */
  sequences: number;
  contextTokens: number;
  flashAttention: "auto" | false;
  ranks: boolean;
}

function newContext(model: LlamaModel, given: ContextOptions): Promise<LlamaContext> {
  const { sequences, contextTokens, flashAttention, ranks } = given;
  // The last two are what the binding's own embedding and ranking contexts set; its types leave them out.
  const options = {
    sequences,
    contextSize: contextTokens,
    // An input is computed whole: what looks at later tokens, too, cannot be split.
    batchSize: contextTokens,
    threads: 1,
    flashAttention,
    ignoreMemorySafetyChecks: true,
    failedCreationRemedy: false as const,
    _embeddings: true,
    _ranking: ranks,
  };
  return model.createContext(options);
}

function nativeContext(context: LlamaContext): NativeContext {
  const { _ctx: handle } = context as unknown as { _ctx: NativeContext };
  requireMethods(handle, [
    "initBatch",
    "addToBatch",
    "decodeBatch",
    "getEmbedding",
    "disposeSequence",
    "setThreads",
  ]);
  return handle;
}

/** It shares the threads of the one beside it: they spin after a batch, on cores that threads of its own would need. */
function vectorContext(
  handle: NativeContext,
  extension: Extension | undefined,
  beside: VectorContext | undefined,
): VectorContext {
  if (extension === undefined)
    return {
      handle,
      setThreads: (threads) => handle.setThreads(threads),
      vectorsOf: (inputs) => inputs.map(({ length }) => handle.getEmbedding(length)),
    };
  const extended = extendContext(handle, extension, beside?.extended);
  return {
    handle,
    extended,
    setThreads: extended.setThreads,
    vectorsOf: (inputs) => {
      let tokens = 0;
      const lastTokens = Int32Array.from(inputs, ({ length }) => (tokens += length) - 1);
      const all = Float64Array.from(extended.vectors(lastTokens));
      const length = all.length / inputs.length;
      return inputs.map((_, index) => all.subarray(index * length, (index + 1) * length));
    },
  };
}

/** A batch that is shorter is computed by the first context. */
const laneOf = (short: VectorContext, long: VectorContext): Lane => ({
  compute: async (inputs, threads) => {
    const tokens = inputs.reduce((sum, { length }) => sum + length, 0);
    const { handle, setThreads, vectorsOf } = tokens < tileTokens ? short : long;
    setThreads(threads);
    handle.initBatch(tokens);
    // All of them are pooled.
    for (const [sequence, input] of inputs.entries())
      handle.addToBatch(sequence, 0, input, Uint32Array.from(input.keys()));
    try {
      await handle.decodeBatch();
      return vectorsOf(inputs);
    } finally {
      for (const sequence of inputs.keys()) handle.disposeSequence(sequence);
    }
  },
});

/** An encoder: it needs all of an input at once, and no cache. */
const seesLaterTokens = ({ fileInfo }: LlamaModel): boolean =>
  fileInfo.architectureMetadata.attention?.causal === false;

/** The native code's own rules for WordPiece, and what our conversion of the starter says. */
function stripsAccents(metadata: unknown): boolean {
  const { tokenizer, sotto } = metadata as NormalizerFields;
  if (tokenizer.ggml.model !== "bert") return false;
  const { lowercase = true, strip_accents = lowercase } = tokenizer.ggml.normalizer ?? {};
  return strip_accents || sotto?.strip_accents === true;
}

interface NormalizerFields {
  tokenizer: { ggml: { model: string; normalizer?: { lowercase?: boolean; strip_accents?: boolean } } };
  sotto?: { strip_accents?: boolean };
}

/** Files do not say it, so these are known by what they are called. */
const matryoshka =
  /nomic-embed-text-v1\.5|nomic-embed-text-v2|embeddinggemma|qwen3[- ]embedding|mxbai-embed|jina-embeddings-v[345]|arctic-embed-[ml]-v2/i;

const isMatryoshka = ({ architecture, name, basename }: Naming): boolean =>
  architecture === "gemma-embedding" || matryoshka.test(`${name ?? ""} ${basename ?? ""}`);

interface Naming {
  architecture: string;
  name?: string | undefined;
  basename?: string | undefined;
}
