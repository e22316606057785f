/**
 * What is asked of an engine, built field by field from a generation. Nothing else of a client's request
 * exists by then: what it added, a cache salt of its own included, was dropped when it was parsed.
 */
import type { Generation } from "../../core/ports.js";
import type { ReplyFormat, Sampling } from "../../protocol/chat.js";
import { ServiceError } from "../../protocol/errors.js";
import type { EngineFacts } from "./checks/facts.js";
import { callingFields, promptFields, type Conversation } from "./conversation.js";
import type { Profile } from "./profiles.js";

export interface UpstreamRequest {
  profile: Profile;
  /** The engine's name for the model. */
  model: string;
  generation: Generation;
  conversation: Conversation;
  maxTokens: number;
  /** How many choices this one request asks for. */
  choices: number;
  seed: number | undefined;
  salt: string | undefined;
  /** Of the format, for engines that follow ours. */
  grammar: string | undefined;
}

/** Throws for what this engine would ignore although it changes the reply. */
export function requireSupported(
  profile: Profile,
  { sampling, topLogprobs, format, tooling }: Generation,
  { vocabularySize, hasTools }: Pick<EngineFacts, "vocabularySize" | "hasTools">,
): void {
  if (profile.logitBias === "none" && sampling.logitBias.length > 0) throw unsupported("logit_bias");
  if (!profile.hasLogprobs && topLogprobs !== undefined) throw unsupported("logprobs");
  if (hasTools === false && tooling !== undefined) throw unsupported("tools");
  if (!profile.hasLogprobsWithTools && topLogprobs !== undefined && tooling !== undefined) {
    throw new ServiceError("unsupported_parameter", {
      message: "The engine behind this model does not support 'logprobs' together with 'tools'.",
      param: "logprobs",
    });
  }
  if (profile.formats === "none" && format.type !== "text") throw unsupported("response_format");
  if (!profile.hasSeed && sampling.seed !== undefined) throw unsupported("seed");
  if (vocabularySize !== undefined && sampling.logitBias.some(([token]) => token >= vocabularySize)) {
    throw new ServiceError("invalid_value", {
      message: `Invalid key in 'logit_bias': the tokens of this model are numbered from 0 to ${vocabularySize - 1}.`,
      param: "logit_bias",
    });
  }
}

const unsupported = (param: string): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message: `The engine behind this model does not support '${param}'.`,
    param,
  });

export function requestBody(request: UpstreamRequest): Record<string, unknown> {
  const { profile, generation, conversation, choices } = request;
  const { topLogprobs } = generation;
  const stop = stopsFor(profile, generation);
  return {
    model: request.model,
    ...promptFields(profile, conversation),
    ...callingFields(profile, conversation.tooling),
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: request.maxTokens,
    ...samplingFields(profile, generation.sampling),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(choices === 1 ? {} : { n: choices }),
    ...(topLogprobs === undefined
      ? {}
      : { logprobs: true, top_logprobs: Math.max(topLogprobs, profile.leastTopLogprobs) }),
    ...(request.grammar === undefined ? formatFields(generation.format) : { grammar: request.grammar }),
    ...profile.always,
    ...cacheFields(profile, request.salt),
  };
}

/** What the engine is not given is matched here (choice-reader.ts), which ends its stream and knows what was matched. */
const stopsFor = (profile: Profile, { stop, namesStop = false }: Generation): string[] =>
  namesStop && !profile.namesStop ? [] : stop.slice(0, profile.mostStops);

function samplingFields(profile: Profile, sampling: Sampling): Record<string, unknown> {
  const { frequencyPenalty, presencePenalty, logitBias } = sampling;
  return {
    temperature: sampling.temperature,
    // Left out when the client did not choose it: the engine knows what is recommended for its model.
    ...(sampling.topPGiven ? { top_p: Math.max(sampling.topP, profile.leastTopP) } : {}),
    ...(frequencyPenalty === 0 ? {} : { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty === 0 ? {} : { presence_penalty: presencePenalty }),
    ...(logitBias.length === 0
      ? {}
      : { logit_bias: profile.logitBias === "pairs" ? logitBias : Object.fromEntries(logitBias) }),
  };
}

function formatFields(format: ReplyFormat): Record<string, unknown> {
  switch (format.type) {
    case "text":
      return {};
    case "json_object":
      return { response_format: { type: "json_object" } };
    case "json_schema": {
      const { name, schema } = format;
      return { response_format: { type: "json_schema", json_schema: { name, schema, strict: true } } };
    }
  }
}

function cacheFields({ cache }: Profile, salt: string | undefined): Record<string, unknown> {
  switch (cache.type) {
    case "salt":
      if (salt === undefined)
        throw new Error("This engine keeps accounts apart by a salt, and there is none.");
      return { [cache.field]: salt };
    case "off":
      return cache.fields;
    case "none":
      return {};
  }
}
