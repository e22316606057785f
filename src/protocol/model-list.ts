/** The wire shapes of the model listing. */
import type { ModelId } from "../core/models.js";

export interface WireModel {
  /** One of ours, or an alias. */
  id: string;
  object: "model";
  /** Unix seconds. */
  created: number;
  owned_by: string;
  /** Tokens of prompt and reply together; null where the engine does not report it, and while the model is loading. */
  context_length: number | null;
  /** The largest `max_tokens` that has an effect for this caller. */
  max_output_tokens: number | null;
  capabilities: ModelCapabilities;
  /** The operator's line about it, where there is one. */
  description?: string;
  /** The model that answers, where `id` is another name for it. */
  alias_of?: string;
}

export interface ModelCapabilities {
  tools: boolean;
  json_schema: boolean;
  reasoning: boolean;
  logprobs: boolean;
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
  follows: { jsonSchema: boolean; logprobs: boolean; tools: boolean; reasoning: boolean; vision?: boolean };
  description: string | null;
}

export function wireModel(
  { id, contextTokens, follows, description }: ListedModel,
  { ownerName, createdAt, planMaxTokens }: ModelListing,
): WireModel {
  const contextLength = contextTokens > 0 ? contextTokens : null;
  return {
    id,
    object: "model",
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: ownerName,
    context_length: contextLength,
    max_output_tokens: smaller(contextLength, planMaxTokens),
    capabilities: {
      tools: follows.tools,
      json_schema: follows.jsonSchema,
      reasoning: follows.reasoning,
      logprobs: follows.logprobs,
      vision: follows.vision ?? false,
    },
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
