/**
 * Opens a model that embeds or ranks: its weights once, and contexts made for pooling, two for each lane (lanes.ts), for
 * short inputs and for long ones. How vectors are pooled is up to the file; a head that ranks is asked for by `rank`.
 */
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { cacheBytesPerToken } from "../../../../adapters/kv-cache.js";
import type { BatchContext } from "../batch-context.js";
import { attentionShape, openModel, quotingLog, vocabularyOf } from "../addon.js";
import { extendContext, type ExtendedContext, type ThreadedContext } from "../extension.js";
import type { LoadRequest } from "../../messages.js";
import { requireMethods } from "../vocabulary.js";
import { chooseThreads } from "../../sizing.js";
import type { BatchLimits, Lane } from "./lanes.js";
import { chooseLanes, gpuLanes } from "./lane-sizing.js";

export type LoadedVectorModel = Awaited<ReturnType<typeof loadVectorModel>>;

interface NativeContext
  extends
    ThreadedContext,
    Pick<BatchContext, "initBatch" | "addToBatch" | "decodeBatch" | "disposeSequence"> {
  /** Of the first sequence in the batch. The length is only checked. */
  getEmbedding(inputTokens: number): Float64Array;
}

interface VectorContext {
  handle: NativeContext;
  /** Where the engine's extension is used. */
  extended: ExtendedContext | undefined;
}

export const loadVectorModel = (request: LoadRequest) =>
  quotingLog((onLogLine) => loadWith(request, onLogLine));

/**
 * On the CPU, flash attention computes in tiles of so many tokens. For fewer it takes one and a half to two times as long
 * as plain attention, which in turn takes up to three times as long for many.
 */
const tileTokens = 64;
/** From so many on, padding to a whole tile is faster than plain attention. */
const paddedFromTokens = 48;

/** A token costs no less in larger ones, and the other lanes would have to wait for them. */
const mostBatch: BatchLimits = { inputs: 31, tokens: 256 };
const oneInput: BatchLimits = { inputs: 1, tokens: Infinity };

/** Those whose head ends in a softmax, in llama.cpp's `build_pooling`. */
const softmaxArchitectures = new Set(["qwen3", "qwen3vl"]);

async function loadWith(request: LoadRequest, onLogLine: (line: string) => void) {
  const gpuLayers = request.gpu === "off" ? 0 : { fitContext: { embeddingContext: true } };
  const opened = await openModel(request, gpuLayers, onLogLine);
  const { llama, model, facts, vocabularySource, onGpu, cores, extension } = opened;
  const { tokenizer, general } = model.fileInfo.metadata;
  const { architecture, name = "", basename = "" } = general;
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
  // One more for the padding of a tile. An encoder has no cache, so any number of them takes no more memory.
  const sequences = isEncoder ? most.inputs + 1 : most.inputs;
  const contexts: LlamaContext[] = [];
  // It shares the threads of the one beside it: they spin after a batch, on cores that threads of its own would need.
  const open = async (contextTokens: number, flashAttention: "auto" | false, beside?: ExtendedContext) => {
    // The last two are what the binding's own embedding and ranking contexts set; its types leave them out.
    const options = {
      sequences,
      contextSize: contextTokens,
      // An input is computed whole: what looks at later tokens, too, cannot be split. Without a number that the sequences
      // divide, the native code ends the process.
      batchSize: Math.ceil(contextTokens / sequences) * sequences,
      threads: 1,
      flashAttention,
      ignoreMemorySafetyChecks: true,
      failedCreationRemedy: false as const,
      _embeddings: true,
      _ranking: ranks,
    };
    const context = await model.createContext(options);
    contexts.push(context);
    const { _ctx: handle } = context as unknown as { _ctx: NativeContext };
    requireMethods(handle, ["initBatch", "addToBatch", "decodeBatch", "getEmbedding"]);
    requireMethods(handle, ["disposeSequence", "setThreads"]);
    return { handle, extended: extension && extendContext(handle, extension, beside?.id) };
  };
  const shortTokens = Math.min(tileTokens, size.contextTokens);
  const longFrom = isEncoder && !onGpu && shortTokens === tileTokens ? paddedFromTokens : tileTokens;
  const lanes: Lane[] = [];
  for (let lane = 0; lane < size.lanes; lane++) {
    const long = await open(size.contextTokens, "auto");
    const short = onGpu ? long : await open(shortTokens, false, long.extended);
    lanes.push(laneOf(short, long, longFrom));
  }
  return {
    ...{ facts, lanes, most, vocabularySource },
    vocabulary: vocabularyOf(model, vocabularySource),
    contextTokens: size.contextTokens,
    threads: onGpu ? 1 : threads,
    stripsAccents: stripsAccents(model.fileInfo.metadata),
    rankTemplate: tokenizer["chat_template.rerank"],
    /** Of a head that ranks: it gives probabilities, and not their logits. */
    givesProbabilities: softmaxArchitectures.has(architecture),
    vectors: {
      dimensions: model.embeddingVectorSize,
      canShorten: isMatryoshka(architecture, `${name} ${basename}`),
    },
    // One by one, by hand, as for replies (addon.ts).
    dispose: async () => {
      for (const context of contexts) await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

function vectorsOf({ handle, extended }: VectorContext, inputs: readonly Uint32Array[]): Float64Array[] {
  if (extended === undefined) return inputs.map(({ length }) => handle.getEmbedding(length));
  let tokens = 0;
  const lastTokens = Int32Array.from(inputs, ({ length }) => (tokens += length) - 1);
  const all = Float64Array.from(extended.vectors(lastTokens));
  const length = all.length / inputs.length;
  return inputs.map((_, index) => all.subarray(index * length, (index + 1) * length));
}

/** The second context computes batches of so many tokens or more, of at least a tile. */
const laneOf = (short: VectorContext, long: VectorContext, longFrom: number): Lane => ({
  compute: async (inputs, threads) => {
    const tokens = inputs.reduce((sum, { length }) => sum + length, 0);
    const isLong = tokens >= longFrom;
    const padding = isLong ? Math.max(0, tileTokens - tokens) : 0;
    const batch = padding > 0 ? [...inputs, new Uint32Array(padding)] : inputs;
    const context = isLong ? long : short;
    const { handle, extended } = context;
    (extended ?? handle).setThreads(threads);
    handle.initBatch(tokens + padding);
    // All of them are pooled.
    for (const [sequence, input] of batch.entries())
      handle.addToBatch(sequence, 0, input, Uint32Array.from(input.keys()));
    try {
      await handle.decodeBatch();
      return vectorsOf(context, inputs);
    } finally {
      for (const sequence of batch.keys()) handle.disposeSequence(sequence);
    }
  },
});

/** An encoder: it needs all of an input at once, and no cache. */
const seesLaterTokens = ({ fileInfo }: LlamaModel): boolean =>
  fileInfo.architectureMetadata.attention?.causal === false;

/** The native code's own rules for WordPiece, and what our conversion of the starter says. */
function stripsAccents(metadata: unknown): boolean {
  const { tokenizer, sotto } = metadata as {
    tokenizer: { ggml: { model: string; normalizer?: { lowercase?: boolean; strip_accents?: boolean } } };
    sotto?: { strip_accents?: boolean };
  };
  if (tokenizer.ggml.model !== "bert") return false;
  const { lowercase = true, strip_accents = lowercase } = tokenizer.ggml.normalizer ?? {};
  return strip_accents || sotto?.strip_accents === true;
}

/** Files do not say it, so these are known by what they are called. */
const matryoshka =
  /nomic-embed-text-v1\.5|nomic-embed-text-v2|embeddinggemma|qwen3[- ]embedding|mxbai-embed|jina-embeddings-v[345]|arctic-embed-[ml]-v2/i;

const isMatryoshka = (architecture: string, names: string): boolean =>
  architecture === "gemma-embedding" || matryoshka.test(names);
