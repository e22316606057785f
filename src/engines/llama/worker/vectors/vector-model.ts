/**
 * Opens a model that embeds or ranks: its weights once, and contexts made for pooling, two for each lane (lanes.ts), for
 * short inputs and for long ones. How vectors are pooled is up to the file; a head that ranks is asked for by `rank`.
 */
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { cacheBytesPerToken } from "../../../../adapters/kv-cache.js";
import type { BatchContext } from "../batch-context.js";
import { attentionShape, openModel, quotingLog } from "../addon.js";
import type { LoadedFacts, LoadRequest, VectorFacts } from "../../messages.js";
import { requireMethods, type VocabularySource } from "../native-vocabulary.js";
import { chooseThreads } from "../../sizing.js";
import type { Lane } from "./lanes.js";
import { chooseLanes, gpuLanes } from "./lane-sizing.js";

export interface LoadedVectorModel extends Pick<LoadedFacts, "contextTokens" | "threads"> {
  facts: Awaited<ReturnType<typeof openModel>>["facts"];
  lanes: readonly Lane[];
  vocabularySource: VocabularySource;
  stripsAccents: boolean;
  rankTemplate: string | undefined;
  /** Of a head that ranks: it gives probabilities, and not their logits. */
  givesProbabilities: boolean;
  vectors: VectorFacts;
  dispose: () => Promise<void>;
}

interface NativeContext extends Pick<
  BatchContext,
  "initBatch" | "addToBatch" | "decodeBatch" | "disposeSequence"
> {
  setThreads(threads: number): void;
  /** Of the first sequence in the batch. The length is only checked. */
  getEmbedding(inputTokens: number): Float64Array;
}

export const loadVectorModel = (request: LoadRequest): Promise<LoadedVectorModel> =>
  quotingLog((onLogLine) => loadWith(request, onLogLine));

/**
 * On the CPU, flash attention computes in tiles of so many tokens. For fewer it takes half as long again as plain
 * attention, which in turn takes up to three times as long for many.
 */
const tileTokens = 64;

/** Those whose head ends in a softmax, in llama.cpp's `build_pooling`. */
const softmaxArchitectures = new Set(["qwen3", "qwen3vl"]);

async function loadWith(request: LoadRequest, onLogLine: (line: string) => void): Promise<LoadedVectorModel> {
  const gpuLayers = request.gpu === "off" ? 0 : { fitContext: { embeddingContext: true } };
  const opened = await openModel(request, gpuLayers, onLogLine);
  const { llama, model, facts, vocabularySource, onGpu, cores } = opened;
  const { tokenizer, general } = model.fileInfo.metadata;
  const ranks = request.task === "rank";
  if (ranks && !model.fileInsights.supportsRanking)
    throw new Error("This model cannot rank documents: it has no head for it, or no text to ask it with.");
  const threads = request.threads ?? (onGpu ? gpuLanes : chooseThreads(Infinity, cores));
  const size = chooseLanes({
    threads,
    trainedTokens: model.trainContextSize,
    embeddingLength: model.embeddingVectorSize,
    cacheBytesPerToken: seesLaterTokens(model) ? 0 : cacheBytesPerToken(attentionShape(model), "f16"),
    availableBytes: process.availableMemory(),
  });
  const contexts: LlamaContext[] = [];
  const open = async (contextTokens: number, flashAttention: "auto" | false): Promise<NativeContext> => {
    const context = await newContext(model, contextTokens, flashAttention, ranks);
    contexts.push(context);
    return nativeContext(context);
  };
  const lanes: Lane[] = [];
  for (let lane = 0; lane < size.lanes; lane++) {
    const long = await open(size.contextTokens, "auto");
    lanes.push(laneOf(onGpu ? long : await open(Math.min(tileTokens, size.contextTokens), false), long));
  }
  return {
    ...{ facts, lanes, vocabularySource },
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

function newContext(
  model: LlamaModel,
  contextTokens: number,
  flashAttention: "auto" | false,
  ranks: boolean,
): Promise<LlamaContext> {
  // The last two are what the binding's own embedding and ranking contexts set; its types leave them out.
  const options = {
    sequences: 1,
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

/** An input that is shorter is computed by the first context. */
const laneOf = (short: NativeContext, long: NativeContext): Lane => ({
  compute: async (tokens, threads) => {
    const context = tokens.length < tileTokens ? short : long;
    context.setThreads(threads);
    context.initBatch(tokens.length);
    // All of them are pooled.
    context.addToBatch(0, 0, tokens, Uint32Array.from(tokens.keys()));
    try {
      await context.decodeBatch();
      return context.getEmbedding(tokens.length);
    } finally {
      context.disposeSequence(0);
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
