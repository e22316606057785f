/**
 * What the two processes say to each other. Numbers in `id` fields are the host's, unique among the messages
 * of one child.
 */
import type { ChatMessage, Sampling } from "../../protocol/chat.js";
import type { StepReport } from "./batcher.js";
import type { PromptResult } from "./prompt.js";
import type { SamplingDefaults } from "./sampler.js";

export interface LoadRequest {
  weights: string;
  threads: number | undefined;
  gpu: "auto" | "off";
  sequences: number | undefined;
  contextTokens: number | undefined;
  prefillChunkTokens: number;
}

export interface GenerateRequest {
  prompt: Uint32Array;
  maxTokens: number;
  stop: readonly string[];
  sampling: Sampling;
  defaults: SamplingDefaults;
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
  gpu: "cpu" | "cuda" | "vulkan" | "metal";
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
