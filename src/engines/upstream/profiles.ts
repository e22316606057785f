/**
 * Each kind of engine as data: where it reports what about itself, which of our fields it supports and under which
 * name, and how one account's prompt cache is kept from another's.
 */
import type { upstreamProfiles as profileNames } from "../../core/model-views.js";
import type { UpstreamSource } from "../../protocol/engine-member.js";

export type ProfileName = (typeof profileNames)[number];

/** How one account's cached prompts are kept from another's. */
type CacheIsolation =
  /** This field of a request names the part of the cache that it may use. */
  | { type: "salt"; field: string }
  /** These fields switch the reuse of prompts off. */
  | { type: "off"; fields: Readonly<Record<string, unknown>> }
  /** There is no way: the operator must accept that accounts can infer from timing what others asked. */
  | { type: "none" };

interface ReasoningControl {
  /** Fields that disable it, where the model's chat template can. */
  off: Readonly<Record<string, unknown>>;
  /**
   * Whether the effort is also given to the chat template by name, for releases that do not pass the field on to it.
   */
  effortInTemplate: boolean;
}

export interface Profile {
  label: string;
  healthPath: string;
  /**
   * Where the context length is reported. `models`: `/v1/models`, as `max_model_len` (vLLM, SGLang) or as `meta.n_ctx`
   * (llama-server, whatever profile it was given); `props`: llama-server's `/props`;
   * `ollama`: `/api/ps` and `/api/show`.
   */
  context: "models" | "props" | "ollama";
  /**
   * How a prompt is counted. `messages`: `/tokenize` takes a conversation; `template`: `/apply-template`, then
   * `/tokenize`; `none`: it is estimated, and settled by the usage at the end.
   */
  counting: "messages" | "template" | "none";
  /**
   * Where it reports whether its model reads images, besides `/v1/models`. `model_info`: SGLang's; `tokenize`: vLLM says
   * it of no model, but refuses to tokenize a conversation with an image for one that does not.
   */
  vision: "models" | "model_info" | "tokenize";
  /** The Prometheus metric for the length of its queue. */
  queueMetric: { path: string; name: string } | null;
  cache: CacheIsolation;
  /** Sent with every conversation. */
  extraFields: Readonly<Record<string, unknown>>;
  /**
   * How it fills in between two texts, where its model can. `field`: `suffix` of `/v1/completions`; `endpoint`:
   * llama-server's `/infill`; `none`: it cannot, or would silently ignore the suffix.
   */
  infill: "field" | "endpoint" | "none";
  takesTokens: boolean;
  /** Whether several choices are one request, or one request each. */
  choices: "native" | "separate";
  /** How many stop sequences it accepts. The others are matched here alone. */
  maxStops: number;
  /** Whether it reports which stop sequence ended a reply. */
  reportsStop: boolean;
  logitBias: "object" | "pairs" | "none";
  /** How replies are held to a JSON schema. `native`: by `response_format`; `gbnf`: by a grammar that we send. */
  structuredOutput: "native" | "gbnf";
  /** Whether it supports a `tool_choice` that names a function; llama-server reads that as `auto`. */
  supportsNamedTool: boolean;
  supportsLogprobsWithTools: boolean;
  /** Its names for the reasoning of an earlier turn, all of them where they changed. */
  reasoningFields: readonly string[];
  reasoning: ReasoningControl;
  /** Some engines return no log probabilities at all when no alternatives are requested. */
  minTopLogprobs: number;
  /** vLLM and SGLang refuse 0. */
  minTopP: number;
  /** It clamps `max_tokens` to what the context leaves; others refuse a request that asks for more. */
  clampsMaxTokens: boolean;
  /** Where neither the operator nor the engine says. */
  defaultConcurrency: number;
  /** What it may compute besides replies, depending on how it was started. */
  tasks: readonly ("embed" | "rank")[];
}

/**
 * Chat templates differ in the name: Qwen's, GLM's and others use the first, DeepSeek's the second. vLLM and SGLang
 * refuse `reasoning_effort: "none"` in releases that do not know it; template arguments that are not used do no harm.
 */
const templateWithoutReasoning = { chat_template_kwargs: { enable_thinking: false, thinking: false } };

/** What nothing more is known of. */
const openai: Profile = {
  label: "OpenAI-compatible",
  healthPath: "/v1/models",
  context: "models",
  counting: "none",
  vision: "models",
  queueMetric: null,
  cache: { type: "none" },
  extraFields: {},
  infill: "field",
  takesTokens: true,
  choices: "native",
  maxStops: 4,
  reportsStop: false,
  logitBias: "object",
  structuredOutput: "native",
  supportsNamedTool: true,
  supportsLogprobsWithTools: true,
  reasoningFields: ["reasoning_content"],
  reasoning: { off: { reasoning_effort: "none" }, effortInTemplate: false },
  minTopLogprobs: 0,
  minTopP: 0,
  clampsMaxTokens: true,
  defaultConcurrency: 64,
  tasks: ["embed", "rank"],
};

const vllm: Profile = {
  ...openai,
  label: "vLLM",
  healthPath: "/health",
  counting: "messages",
  vision: "tokenize",
  queueMetric: { path: "/metrics", name: "vllm:num_requests_waiting" },
  cache: { type: "salt", field: "cache_salt" },
  // vLLM refuses a suffix; SGLang ignores it unless it was started with a template for it, which it does not report.
  infill: "none",
  maxStops: Infinity,
  reportsStop: true,
  reasoningFields: ["reasoning_content", "reasoning"],
  reasoning: { off: templateWithoutReasoning, effortInTemplate: true },
  minTopP: 1e-6,
  clampsMaxTokens: false,
  defaultConcurrency: 128,
};

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  openai,
  vllm,
  sglang: {
    ...vllm,
    label: "SGLang",
    vision: "model_info",
    queueMetric: { path: "/metrics", name: "sglang:num_queue_reqs" },
    reasoningFields: ["reasoning_content"],
    tasks: ["embed"],
  },
  "llama-server": {
    ...openai,
    label: "llama-server",
    healthPath: "/health",
    context: "props",
    counting: "template",
    queueMetric: { path: "/metrics", name: "llamacpp:requests_deferred" },
    cache: { type: "off", fields: { cache_prompt: false } },
    // Reasoning apart from the reply, however it was started.
    extraFields: { reasoning_format: "auto" },
    infill: "endpoint",
    // It has `n` since late 2025, limited by its slots and, before that, silently answered with one choice.
    choices: "separate",
    maxStops: Infinity,
    logitBias: "pairs",
    // The grammar that it generates from `response_format` has to match the end of the prompt, too, and does not for
    // models with a SentencePiece vocabulary (Llama 2, TinyLlama, Mistral): it refuses every format for them.
    structuredOutput: "gbnf",
    supportsNamedTool: false,
    // "logprobs is not supported with tools + stream".
    supportsLogprobsWithTools: false,
    // Releases of 2026 know the effort "none"; earlier ones only the template's arguments.
    reasoning: { off: { reasoning_effort: "none", ...templateWithoutReasoning }, effortInTemplate: true },
    minTopLogprobs: 1,
    defaultConcurrency: 4,
  },
  ollama: {
    ...openai,
    label: "Ollama",
    healthPath: "/api/version",
    context: "ollama",
    takesTokens: false,
    choices: "separate",
    maxStops: Infinity,
    logitBias: "none",
    reasoningFields: ["reasoning"],
    defaultConcurrency: 4,
    tasks: ["embed"],
  },
};

/**
 * Only engines that isolate accounts get conversations, unless the operator accepts that one does not: a sentence for
 * the operator, or null.
 */
export function whyNotIsolated({ profile, acceptSharedCache }: UpstreamSource): string | null {
  const { cache, label } = profiles[profile];
  if (cache.type !== "none" || acceptSharedCache === true) return null;
  return (
    `An engine of the kind '${label}' cannot keep the prompt caches of accounts apart: one account could infer ` +
    `from the time to the first token what another has asked. Use vLLM, SGLang or llama-server, or accept it ` +
    `(--accept-shared-cache, or acceptSharedCache: true).`
  );
}
