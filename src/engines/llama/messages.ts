/**
 * The messages between the two processes. Numbers in `id` fields are the host's, unique among the messages
 * of one child.
 */
import type { CacheType } from "../../adapters/kv-cache.js";
import type { EngineConfig } from "../../config.js";
import type { FinishReason, ReplyLogprob } from "../../core/chat/reply.js";
import type {
  ChatMessage,
  ChatRole,
  RawPrompt,
  ReasoningEffort,
  Tool,
  VectorTask,
} from "../../core/chat/request.js";
import type { EngineTask, Generation, Kept } from "../../core/serving/engine-port.js";
import type { ModelDefaults } from "../../core/serving/model-defaults.js";
import type { ReplyEvent } from "../chat-format/reply-events.js";
import type { ReplySyntax } from "../chat-format/reply-syntax.js";
import type { Backend, GpuBackend } from "./backends.js";

export interface LoadRequest extends Pick<
  EngineConfig,
  | "threads"
  | "sequences"
  | "contextTokens"
  | "prefillChunkTokens"
  | "prefixReuse"
  | "speculation"
  | "savedStateBytes"
  | "cacheType"
> {
  weights: string;
  /** Of a smaller model, which guesses the tokens of this one. */
  draft?: string | undefined;
  gpu: "off" | GpuBackend;
  /** The folder of a GPU library that belongs to this machine (`gpu/library`); otherwise that of the binding's package. */
  library?: string | undefined;
  /** The file of the engine's extension (`extension/extension-file.ts`). */
  extension?: string | undefined;
  /** Measure how long a token of one reply takes, for at most a second or so. */
  measures?: boolean | undefined;
  /** What the model is for; chat by default. */
  task?: EngineTask | undefined;
  /** In a throwaway process: everything on the GPU or not at all, and native logs straight to its output. */
  probing?: boolean;
}

export interface Conversation {
  messages: readonly ChatMessage[];
  /** Empty when nothing can be called. */
  tools: readonly Tool[];
  reasoningEffort: ReasoningEffort | undefined;
}

/** What the tokens of a prompt are made from. */
export type PromptInput = Conversation | RawPrompt;

/** What the model adds to every request that does not choose for itself. */
export type SamplingDefaults = Pick<ModelDefaults, "repeatPenalty" | "minP">;

/** Nothing computed for one account serves another. */
export interface GenerateRequest extends Pick<
  Generation,
  "accountId" | "choices" | "stop" | "sampling" | "topLogprobs"
> {
  prompt: Uint32Array;
  maxTokens: number;
  defaults: SamplingDefaults;
  grammar: GrammarPlan | undefined;
  parsing: ParsingPlan | undefined;
}

/** A task whose inputs were read by `prepare_task`. */
export interface ComputeRequest {
  accountId: string;
  inputs: readonly Uint32Array[];
  /** So many numbers of each vector; undefined: all of them. */
  dimensions: number | undefined;
}

export interface GrammarPlan {
  gbnf: string;
  /** Texts on which it begins, themselves included; undefined: from the first token on. */
  triggers?: readonly string[];
  /** Whether a trigger counts only at the beginning of the reply, or right after reasoning. */
  onlyAtStart?: boolean;
}

/** How reasoning and calls are separated from the text; without one everything is text. */
export interface ParsingPlan {
  syntax: ReplySyntax;
  tools: readonly Pick<Tool, "name" | "parameters">[];
  reasoningOpen: boolean;
}

export type ToWorker =
  | { type: "load"; request: LoadRequest }
  | { type: "prepare"; id: number; prompt: PromptInput }
  | { type: "generate"; id: number; request: GenerateRequest }
  | { type: "prepare_task"; id: number; task: VectorTask }
  | { type: "compute"; id: number; request: ComputeRequest }
  | { type: "abort"; id: number }
  /** Keep nothing that was computed for this account. */
  | { type: "forget"; accountId: string }
  /** How much of that is kept. */
  | { type: "count_kept"; id: number; accountId: string }
  | { type: "ping" }
  /** Finish the current step, free all memory and exit. */
  | { type: "close" };

/** Tokens that the chat template writes at least, on average, for one more of each. */
export interface TemplateTokens {
  /** Users' and assistants' messages in turns. */
  turn: number;
  /** An assistant's call and its result. */
  round: number;
  /** A message after one of the same role. */
  repeated: Record<ChatRole, number>;
  /** A call beside others of the same message. */
  call: number;
  tool: number;
}

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
  syntax: ReplySyntax;
  template: TemplateTokens;
  hasTemplate: boolean;
  hasInfill: boolean;
  gpu: Backend;
  /** Whether the engine's extension is in use. */
  isExtended: boolean;
  /** Architecture, size and quantisation, as the native code words it. */
  description: string;
  memoryBytes: number;
  /** How long a token of one reply takes, where that was to be measured. */
  tokenMs?: number | undefined;
  vectors?: VectorFacts | undefined;
}

export interface VectorFacts {
  dimensions: number;
  /** It was trained so that the first of them are a good vector by themselves. */
  canShorten: boolean;
}

export type PrepareResult =
  | { type: "tokens"; tokens: Uint32Array; reasoningOpen: boolean }
  /** `exact` is false when counting stopped early: there are at least so many tokens. */
  | { type: "too_long"; tokens: number; exact: boolean }
  /** The model's template takes no conversation with these roles in this order. */
  | { type: "refused" }
  /** Of a task: the tokens of each input, or of each document with its query. */
  | { type: "inputs"; inputs: readonly Uint32Array[] }
  | { type: "input_too_long"; index: number; tokens: number }
  /** An input has a token that the model does not have. */
  | { type: "unknown_token"; index: number }
  | { type: "no_template" }
  | { type: "no_infill" }
  /** A bug on our side: the conversation made the template or the tokenizer throw. */
  | { type: "failed" };

export interface Progress {
  id: number;
  choice: number;
  /** What a new token added to the text of the reply, possibly nothing yet; null while the prompt is read. */
  text: string | null;
  /** Reasoning and calls, and the text between them, instead of `text`. */
  events?: readonly ReplyEvent[];
  logprobs?: readonly ReplyLogprob[];
  /** Of a task, all of it. */
  result?: TaskResult;
  /** Set with the choice's last text. */
  finishReason?: FinishReason;
  stopSequence?: string;
}

export type TaskResult =
  { type: "vectors"; vectors: readonly Float32Array[] } | { type: "scores"; scores: readonly number[] };

export interface Ending {
  id: number;
  outcome:
    | { type: "finished"; completionTokens: number; cachedTokens: number; reasoningTokens: number }
    | { type: "aborted" }
    | { type: "failed" }
    /** Following the grammar took more time than a choice may. */
    | { type: "too_slow" };
}

export interface StepReport {
  /** Sequences in use after the step. */
  active: number;
  progress: Progress[];
  endings: Ending[];
}

export type FromWorker =
  | { type: "loaded"; facts: LoadedFacts }
  | { type: "load_failed"; reason: string }
  | { type: "prepared"; id: number; result: PrepareResult }
  | { type: "step"; report: StepReport }
  | { type: "kept"; id: number; kept: Kept }
  | { type: "pong" };

/** What a GPU probe is to try (worker/probe-child.ts). */
export interface ProbeRequest {
  backend: Backend;
  weights: string;
  cacheType: CacheType;
  library: string | undefined;
  extension: string | undefined;
}

export type ProbeAnswer =
  | { type: "works"; devices: string[]; cores: number; isExtended: boolean }
  | { type: "failed"; reason: string };
