/**
 * How large the KV cache is: for each token of context a key and a value for every key-value head of every layer. The
 * engine sizes its contexts by it; the catalogue and `sotto doctor` estimate with it, before anything is loaded, what
 * a file will need.
 */

/** How keys and values are kept: 16-bit floats, or 8 or 4 bits each. */
export type CacheType = "f16" | "q8_0" | "q4_0";

/** The fields of a GGUF file's architecture section that decide the size of the cache. */
export interface AttentionShape {
  layers: number;
  embeddingLength: number;
  heads: number;
  /** One number, or one for each layer. */
  keyValueHeads: number | readonly number[];
  keyLength: number | undefined;
  valueLength: number | undefined;
}

/** Quantised ones hold a 16-bit scale for each 32 values. */
const bytesPerValue: Record<CacheType, number> = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 };

/** What the engine offers when nothing is configured and memory is plentiful. */
export const usualSequences = 8;
/** Where the file says too little to choose by. */
export const usualContextTokens = 4096;
/** The least it offers when memory is short: one conversation of this length. */
export const leastContextTokens = 512;

/** Besides weights and cache: the process itself and what a step computes with. */
export const computingBytes = 256 * 1024 * 1024;

export function cacheBytesPerToken(shape: AttentionShape, type: CacheType): number {
  const headLength = shape.embeddingLength / Math.max(1, shape.heads);
  const valuesPerHead = (shape.keyLength ?? headLength) + (shape.valueLength ?? headLength);
  const { keyValueHeads } = shape;
  const headsOfAllLayers =
    typeof keyValueHeads === "number"
      ? keyValueHeads * shape.layers
      : keyValueHeads.reduce((sum, heads) => sum + heads, 0);
  return headsOfAllLayers * valuesPerHead * bytesPerValue[type];
}

/** Values that share a scale in a quantised cache: a head's keys and values are whole blocks of them. */
const blockValues = 32;

export function takesQuantisedCache({
  embeddingLength,
  heads,
  keyLength,
  valueLength,
}: AttentionShape): boolean {
  const headLength = embeddingLength / Math.max(1, heads);
  return [keyLength ?? headLength, valueLength ?? headLength].every((length) => length % blockValues === 0);
}

/** What a size known for 16-bit floats becomes with another type. */
export const scaledFromF16 = (bytes: number, type: CacheType): number =>
  (bytes * bytesPerValue[type]) / bytesPerValue.f16;
