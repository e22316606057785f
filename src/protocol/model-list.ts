/** The wire shapes of the model listing. */
import type { ModelId } from "../core/models.js";
import { tasksOf } from "../core/serving/required-task.js";
import type { EngineFeatures } from "../core/serving/engine-port.js";

export interface WireModel {
  /** One of ours, or an alias. */
  id: string;
  object: "model";
  /** Unix seconds. */
  created: number;
  owned_by: string;
  /** Tokens of prompt and reply together; null where the engine does not report it, and while the model is loading. */
  context_length: number | null;
  /** The largest `max_tokens` that has an effect for this caller; null where there is no reply to limit. */
  max_output_tokens: number | null;
  capabilities: ModelCapabilities;
  /** The operator's line about it, where there is one. */
  description?: string;
  /** The model that answers while this one cannot, where the operator named one. */
  fallback?: string;
  /** The model that answers, where `id` is another name for it. */
  alias_of?: string;
}

interface ModelCapabilities {
  tools: boolean;
  json_schema: boolean;
  reasoning: boolean;
  logprobs: boolean;
  /** Whether it takes conversations. A base model does not: it continues texts (`POST /v1/completions`). */
  chat: boolean;
  /** Whether `POST /v1/completions` takes a `suffix`. */
  infill: boolean;
  /** Whether it can be used with `/v1/embeddings`, with `/v1/rerank`. */
  embeddings: boolean;
  rerank: boolean;
  vision: boolean;
}

export interface WireModelList {
  object: "list";
  data: WireModel[];
}

export interface ModelListing {
  ownerName: string;
  createdAt: Date;
  /** Null: what the context leaves. */
  planMaxTokens: number | null;
}

export interface ListedModel {
  id: ModelId;
  /** 0 while it is not known. */
  contextTokens: number;
  follows: EngineFeatures;
  description: string | null;
  fallback?: ModelId | undefined;
}

export function wireModel(
  { id, contextTokens, follows, description, fallback }: ListedModel,
  { ownerName, createdAt, planMaxTokens }: ModelListing,
): WireModel {
  const contextLength = contextTokens > 0 ? contextTokens : null;
  const tasks = tasksOf(id, { follows });
  const chats = tasks.includes("chat");
  return {
    id,
    object: "model",
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: ownerName,
    context_length: contextLength,
    max_output_tokens: chats ? smaller(contextLength, planMaxTokens) : null,
    capabilities: {
      tools: chats && follows.tools,
      json_schema: chats && follows.jsonSchema,
      reasoning: chats && follows.reasoning,
      logprobs: chats && follows.logprobs,
      vision: chats && follows.vision === true,
      chat: chats && follows.chat !== false,
      infill: chats && follows.infill === true,
      embeddings: tasks.includes("embed"),
      rerank: tasks.includes("rank"),
    },
    ...(fallback === undefined ? {} : { fallback }),
    ...(description === null ? {} : { description }),
  };
}

/** The same model under another name. */
export const aliasOf = (name: string, model: WireModel): WireModel => ({
  ...model,
  id: name,
  alias_of: model.id,
});

const smaller = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
