/**
 * How much context a model gets on this machine, for how many sequences, in which kind of cache. The engine sizes its
 * context by it; catalogue, pages and `sotto doctor` say with it what a file will get, before anything is loaded.
 *
 * What the operator sets is kept. Otherwise a model gets as much of the context that it was trained for as its part of
 * the memory holds beside the usual sequences. Where that is less than 32k, which coding agents need, sequences beyond
 * the usual number go first (a GPU starts with more), then the cache keeps 8 bits of a value instead of 16, then
 * sequences are halved; if it still does not fit, one or two sequences get what there is.
 *
 * The native code clears the cache when it creates it, so all of it is taken at once, used or not.
 */
import {
  leastContextTokens,
  scaledFromF16,
  type CacheType,
  usualContextTokens,
  usualSequences,
} from "./kv-cache.js";

export interface ModelSize {
  bytes: number;
  /** That it was trained for; null where the file does not say. */
  contextTokens: number | null;
  /** At 16 bits; 0 where it is not known. */
  cacheBytesPerToken: number;
  /** Its heads can be divided into the blocks of a quantised cache. */
  takesQuantisedCache: boolean;
}

/** With a draft model beside it, whose cache is counted as if every sequence had one. */
export const withDraft = <Size extends ModelSize>(size: Size, draft: ModelSize | null): Size =>
  draft === null
    ? size
    : {
        ...size,
        bytes: size.bytes + draft.bytes,
        cacheBytesPerToken: size.cacheBytesPerToken + draft.cacheBytesPerToken,
      };

/** As configured; undefined leaves the choice to us. */
export interface ConfiguredSize {
  sequences?: number | undefined;
  contextTokens?: number | undefined;
  cacheType?: CacheType | undefined;
}

export interface ContextFit {
  sequences: number;
  /** Of each sequence: prompt and reply together. */
  contextTokens: number;
  cacheType: CacheType;
}

/** Enough for a coding agent with its tools and a few files. */
export const longEnoughTokens = 32_768;

/** The native code rounds contexts to this. */
const contextStep = 256;

/** Two short conversations are better than one that is twice as long, from here on. */
const worthTwoSequences = 8192;

export function fitContext(
  model: ModelSize,
  configured: ConfiguredSize,
  cacheBudgetBytes: number,
  mostSequences = usualSequences,
): ContextFit {
  const trained = model.contextTokens ?? usualContextTokens;
  // Nothing to reckon with: as many tokens as every machine has room for.
  const most = model.cacheBytesPerToken > 0 ? trained : Math.min(trained, usualContextTokens);
  const tokensIn = ({ sequences, cacheType }: Omit<ContextFit, "contextTokens">): number =>
    model.cacheBytesPerToken > 0
      ? cacheBudgetBytes / (sequences * scaledFromF16(model.cacheBytesPerToken, cacheType))
      : Infinity;
  const goal = configured.contextTokens ?? Math.min(most, longEnoughTokens);
  const ways = waysToFit(model, configured, mostSequences);
  const way = ways.find((one) => tokensIn(one) >= goal) ?? lastResort(ways, tokensIn);
  const fitting = Math.floor(tokensIn(way) / contextStep) * contextStep;
  const contextTokens =
    configured.contextTokens ?? Math.min(most, Math.max(fitting, Math.min(most, leastContextTokens)));
  return { ...way, contextTokens };
}

type Way = Omit<ContextFit, "contextTokens">;

/** In the order in which they are tried. */
function waysToFit(model: ModelSize, configured: ConfiguredSize, mostSequences: number): Way[] {
  const first = configured.cacheType ?? "f16";
  const smaller = configured.cacheType ?? (model.takesQuantisedCache ? "q8_0" : "f16");
  const { sequences } = configured;
  if (sequences !== undefined)
    return [
      { sequences, cacheType: first },
      { sequences, cacheType: smaller },
    ];
  const counts = halvings(mostSequences);
  return [
    ...counts
      .filter((count) => count >= usualSequences)
      .map((count) => ({ sequences: count, cacheType: first })),
    ...counts
      .filter((count) => count <= usualSequences)
      .map((count) => ({ sequences: count, cacheType: smaller })),
  ];
}

function lastResort(ways: readonly Way[], tokensIn: (way: Way) => number): Way {
  const [one, two] = [...ways].reverse();
  if (one === undefined) throw new Error("There is at least one way.");
  return two?.sequences === 2 && tokensIn(two) >= worthTwoSequences ? two : one;
}

function halvings(count: number): number[] {
  return count <= 1 ? [1] : [count, ...halvings(Math.floor(count / 2))];
}

/** Of the memory, for weights and caches: the rest is for the system, the API process and what is computed with. */
const shareOfMemory = 0.6;
/** Of the memory, for the caches alone: while a model is switched over, its old engine keeps its own. */
const shareForCaches = 0.4;

/** What the caches of models may take together, on a machine that has so much memory without them. */
export const cacheBudget = (memoryBytes: number, weightsBytes: number): number =>
  Math.max(0, Math.min(memoryBytes * shareOfMemory - weightsBytes, memoryBytes * shareForCaches));

/** Divides a budget equally, except that nobody gets more than they can use. In the order of `mostBytes`. */
export function divideBudget(budgetBytes: number, mostBytes: readonly number[]): number[] {
  const parts = mostBytes.map(() => 0);
  let left = budgetBytes;
  const ascending = [...mostBytes.entries()].sort(([, a], [, b]) => a - b);
  for (const [rank, [index, most]] of ascending.entries()) {
    const part = Math.min(most, left / (ascending.length - rank));
    parts[index] = part;
    left -= part;
  }
  return parts;
}

export const cacheBytesOf = (model: ModelSize, { sequences, contextTokens, cacheType }: ContextFit): number =>
  sequences * contextTokens * scaledFromF16(model.cacheBytesPerToken, cacheType);

/** What it can use at most: the whole context for all of the usual sequences. */
function mostCacheBytes(model: ModelSize, configured: ConfiguredSize): number {
  const trained = model.contextTokens ?? usualContextTokens;
  const { sequences = usualSequences, contextTokens = trained, cacheType = "f16" } = configured;
  return cacheBytesOf(model, { sequences, contextTokens, cacheType });
}

/** Weights, and the choices made for them. */
export interface SizedModel {
  size: ModelSize;
  configured: ConfiguredSize;
}

export interface Memory {
  /** What the machine has for models: what is available, and what those that run have taken for their caches. */
  totalBytes: number;
  freeBytes?: number;
  /** Models are loaded one by one, as they are needed: only one has to fit. */
  onDemand: boolean;
}

/** Leaves the system some of what is available. */
const shareOfFree = 0.9;

/** What a model may take for its cache beside the other files that serve models. */
export function cachePart(model: SizedModel, others: readonly SizedModel[], memory: Memory): number {
  const all = [model, ...others];
  const weights = all.map(({ size }) => size.bytes);
  const weightsBytes = memory.onDemand ? Math.max(...weights) : weights.reduce((sum, one) => sum + one, 0);
  const budgetBytes = cacheBudget(memory.totalBytes, weightsBytes);
  const [part = 0] = divideBudget(
    budgetBytes,
    all.map(({ size, configured }) => mostCacheBytes(size, configured)),
  );
  return Math.min(part, (memory.freeBytes ?? Infinity) * shareOfFree);
}

export const fitBeside = (model: SizedModel, others: readonly SizedModel[], memory: Memory): ContextFit =>
  fitContext(model.size, model.configured, cachePart(model, others, memory));
