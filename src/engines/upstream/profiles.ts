/**
 * What is known of each kind of engine, as data: where it reports what about itself, which of our fields it
 * follows and under which name, and how one account's prompt cache is kept from another's.
 */
import type { upstreamProfiles as profileNames } from "../../protocol/engine-member.js";

export type ProfileName = (typeof profileNames)[number];

/** How one account's cached prompts are kept from another's. */
export type CacheIsolation =
  /** This field of a request names the part of the cache that it may use. */
  | { type: "salt"; field: string }
  /** These fields switch the reuse of prompts off. */
  | { type: "off"; fields: Readonly<Record<string, unknown>> }
  /** There is no way: the operator must accept that accounts can infer from timing what others asked. */
  | { type: "none" };

/** How a model's thinking is steered. */
export interface ReasoningControl {
  /** Fields that switch it off, where the model's chat template can. */
  off: Readonly<Record<string, unknown>>;
  /** Whether the effort is also given to the chat template by name, for releases that do not pass the field on to it. */
  inTemplate: boolean;
}

export interface Profile {
  name: ProfileName;
  label: string;
  /** Answers when the engine can. */
  healthPath: string;
  /** Tells the engine's version, for the preflight. */
  versionPath: string | null;
  /**
   * Who knows the context length. `models`: `/v1/models`, as `max_model_len` (vLLM, SGLang) or as `meta.n_ctx`
   * (llama-server, whatever profile it was given); `props`: llama-server's `/props`;
   * `ollama`: `/api/ps` and `/api/show`.
   */
  context: "models" | "props" | "ollama";
  /**
   * Who counts a prompt. `messages`: `/tokenize` takes a conversation; `template`: `/apply-template`, then
   * `/tokenize`; `none`: nobody, it is estimated and settled by the usage at the end.
   */
  counting: "messages" | "template" | "none";
  /** The Prometheus metric of how many requests wait. */
  load: { path: string; waiting: string } | null;
  cache: CacheIsolation;
  /** Sent with every request. */
  always: Readonly<Record<string, unknown>>;
  /** Whether several choices are one request, or as many as there are choices. */
  choices: "native" | "separate";
  /** How many stop sequences it takes. Those beyond are matched here alone. */
  mostStops: number;
  /** Whether it reports which stop sequence ended a reply. */
  namesStop: boolean;
  logitBias: "object" | "pairs" | "none";
  hasLogprobs: boolean;
  hasSeed: boolean;
  /**
   * Who makes a grammar of the JSON that is wanted. `engine`: it takes `response_format`; `us`: it takes our grammar;
   * `nobody`: replies are of any form.
   */
  formats: "engine" | "gbnf" | "none";
  /** Whether it reads a `tool_choice` that names a function; llama-server takes that for `auto`. */
  namesTool: boolean;
  /** Whether log probabilities can be had of a reply that may call. */
  hasLogprobsWithTools: boolean;
  /** Its names for the thoughts of an earlier turn, all of them where they changed. */
  thoughtFields: readonly string[];
  reasoning: ReasoningControl;
  /** Some engines give no log probabilities at all when none besides the chosen token are asked for. */
  leastTopLogprobs: number;
  /** Engines that sample from a share of 0 refuse it. */
  leastTopP: number;
  /** It cuts `max_tokens` to what the context leaves; others refuse a request that asks for more. */
  capsReply: boolean;
  /** Requests at once when neither the operator nor the engine says. */
  usualConcurrent: number;
}

/**
 * The names under which chat templates know it: Qwen's, GLM's and others' the first, DeepSeek's the second. vLLM and
 * SGLang refuse `reasoning_effort: "none"` in releases that do not know it, and give templates what they are not asked
 * about without harm.
 */
const templateWithoutThoughts = { chat_template_kwargs: { enable_thinking: false, thinking: false } };

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  vllm: {
    name: "vllm",
    label: "vLLM",
    healthPath: "/health",
    versionPath: "/version",
    context: "models",
    counting: "messages",
    load: { path: "/metrics", waiting: "vllm:num_requests_waiting" },
    cache: { type: "salt", field: "cache_salt" },
    always: {},
    choices: "native",
    mostStops: Infinity,
    namesStop: true,
    logitBias: "object",
    hasLogprobs: true,
    hasSeed: true,
    formats: "engine",
    namesTool: true,
    hasLogprobsWithTools: true,
    thoughtFields: ["reasoning_content", "reasoning"],
    reasoning: { off: templateWithoutThoughts, inTemplate: true },
    leastTopLogprobs: 0,
    leastTopP: 1e-6,
    capsReply: false,
    usualConcurrent: 128,
  },
  sglang: {
    name: "sglang",
    label: "SGLang",
    healthPath: "/health",
    versionPath: "/get_server_info",
    context: "models",
    counting: "messages",
    load: { path: "/metrics", waiting: "sglang:num_queue_reqs" },
    cache: { type: "salt", field: "cache_salt" },
    always: {},
    choices: "native",
    mostStops: Infinity,
    namesStop: true,
    logitBias: "object",
    hasLogprobs: true,
    hasSeed: true,
    formats: "engine",
    namesTool: true,
    hasLogprobsWithTools: true,
    thoughtFields: ["reasoning_content"],
    reasoning: { off: templateWithoutThoughts, inTemplate: true },
    leastTopLogprobs: 0,
    leastTopP: 1e-6,
    capsReply: false,
    usualConcurrent: 128,
  },
  "llama-server": {
    name: "llama-server",
    label: "llama-server",
    healthPath: "/health",
    versionPath: "/props",
    context: "props",
    counting: "template",
    load: { path: "/metrics", waiting: "llamacpp:requests_deferred" },
    cache: { type: "off", fields: { cache_prompt: false } },
    // Thoughts apart from the reply, however it was started.
    always: { reasoning_format: "auto" },
    // It has `n` since late 2025, limited by its slots and, before that, silently answered with one choice.
    choices: "separate",
    mostStops: Infinity,
    namesStop: false,
    logitBias: "pairs",
    hasLogprobs: true,
    hasSeed: true,
    // Of `response_format` it makes a grammar of its own which has to match the end of the prompt, too, and does not
    // for models with a SentencePiece vocabulary (Llama 2, TinyLlama, Mistral): it refuses every format for them.
    formats: "gbnf",
    namesTool: false,
    // "logprobs is not supported with tools + stream".
    hasLogprobsWithTools: false,
    thoughtFields: ["reasoning_content"],
    // Releases of 2026 know the effort "none"; those before it only the template's words.
    reasoning: { off: { reasoning_effort: "none", ...templateWithoutThoughts }, inTemplate: true },
    leastTopLogprobs: 1,
    leastTopP: 0,
    capsReply: true,
    usualConcurrent: 4,
  },
  ollama: {
    name: "ollama",
    label: "Ollama",
    healthPath: "/api/version",
    versionPath: "/api/version",
    context: "ollama",
    counting: "none",
    load: null,
    cache: { type: "none" },
    always: {},
    choices: "separate",
    mostStops: Infinity,
    namesStop: false,
    logitBias: "none",
    hasLogprobs: true,
    hasSeed: true,
    formats: "engine",
    namesTool: true,
    hasLogprobsWithTools: true,
    thoughtFields: ["reasoning"],
    reasoning: { off: { reasoning_effort: "none" }, inTemplate: false },
    leastTopLogprobs: 0,
    leastTopP: 0,
    capsReply: true,
    usualConcurrent: 4,
  },
  openai: {
    name: "openai",
    label: "OpenAI-compatible",
    healthPath: "/v1/models",
    versionPath: null,
    context: "models",
    counting: "none",
    load: null,
    cache: { type: "none" },
    always: {},
    choices: "native",
    mostStops: 4,
    namesStop: false,
    logitBias: "object",
    hasLogprobs: true,
    hasSeed: true,
    formats: "engine",
    namesTool: true,
    hasLogprobsWithTools: true,
    thoughtFields: ["reasoning_content"],
    reasoning: { off: { reasoning_effort: "none" }, inTemplate: false },
    leastTopLogprobs: 0,
    leastTopP: 0,
    capsReply: true,
    usualConcurrent: 64,
  },
};
