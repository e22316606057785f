/**
 * How large a model will be once it is loaded, from what its file says. Models that share the memory must not be sized
 * by what is free when their turn comes: their contexts would differ from load to load. So sequences and context
 * are decided once, as if the model had the machine to itself.
 */
import {
  computingBytes,
  scaledFromF16,
  usualContextTokens,
  type CacheType,
} from "../../../adapters/kv-cache.js";
import type { ResidentSize } from "./residency.js";
import { chooseSizing, type Sizing } from "../sizing.js";

export interface FileFacts {
  bytes: number;
  contextTokens: number | null;
  /** With 16-bit values. */
  cacheBytesPerToken: number;
}

export interface ConfiguredSizing {
  sequences: number | undefined;
  contextTokens: number | undefined;
  cacheType: CacheType;
}

export function residentSize(
  file: FileFacts,
  { sequences, contextTokens, cacheType }: ConfiguredSizing,
  memoryBytes: number,
): { sizing: Sizing; size: ResidentSize } {
  const cacheBytesPerToken = scaledFromF16(file.cacheBytesPerToken, cacheType);
  const sizing = chooseSizing({
    trainContextTokens: file.contextTokens ?? usualContextTokens,
    weightsBytes: file.bytes,
    cacheBytesPerToken,
    availableBytes: memoryBytes,
    sequences,
    contextTokens,
  });
  const cacheBytes = sizing.sequences * sizing.contextTokens * cacheBytesPerToken;
  return { sizing, size: { weightsBytes: file.bytes, workingBytes: cacheBytes + computingBytes } };
}
