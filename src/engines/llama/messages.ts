/**
 * What the two processes say to each other. Numbers in `id` fields are the host's, unique among the messages
 * of one child.
 */
import type { ChatMessage, Sampling } from "../../protocol/chat.js";
import type { Backend, GpuBackend } from "./gpu/backends.js";
import type { StepReport } from "./worker/schedule/job.js";
import type { PromptResult } from "./worker/prompt/prompt.js";
import type { SamplingDefaults } from "./worker/reply/sampler.js";

export interface LoadRequest {
  weights: string;
  threads: number | undefined;
  /** `auto` leaves the choice to the binding, which only looks whether libraries are there. */
  gpu: "auto" | "off" | GpuBackend;
  sequences: number | undefined;
  contextTokens: number | undefined;
  prefillChunkTokens: number;
  prefixReuse: "on" | "off";
  cacheType: CacheType;
  /** In a throwaway process: everything on the GPU or not at all, and native logs straight to its output. */
  probing?: boolean;
}

/** How keys and values are kept: 16-bit floats, or 8 or 4 bits each. */
export type CacheType = "f16" | "q8_0" | "q4_0";

export interface GenerateRequest {
  /** Nothing computed for one account serves another. */
  accountId: string;
  prompt: Uint32Array;
  choices: number;
  maxTokens: number;
  stop: readonly string[];
  sampling: Sampling;
  defaults: SamplingDefaults;
  topLogprobs: number | undefined;
  /** GBNF that the reply must follow. */
  grammar: string | undefined;
}

export type ToWorker =
  | { type: "load"; request: LoadRequest }
  | { type: "prepare"; id: number; messages: readonly ChatMessage[] }
  | { type: "generate"; id: number; request: GenerateRequest }
  | { type: "abort"; id: number }
  | { type: "ping" }
  /** Finish the step under way, give back all memory and exit. */
  | { type: "close" };

export interface LoadedFacts {
  loadMs: number;
  threads: number;
  contextTokens: number;
  sequences: number;
  cacheType: CacheType;
  /** Layers of the model on the GPU, of so many. */
  gpuLayers: number;
  layers: number;
  vocabularySize: number;
  gpu: Backend;
  /** Architecture, size and quantisation, as the native code words it. */
  description: string;
  memoryBytes: number;
}

export type PrepareResult =
  | PromptResult
  /** A fault of ours: the conversation tripped something that should have held. */
  | { type: "failed" };

export type FromWorker =
  | { type: "loaded"; facts: LoadedFacts }
  | { type: "load_failed"; reason: string }
  | { type: "prepared"; id: number; result: PrepareResult }
  | { type: "step"; report: StepReport }
  | { type: "pong" };
