/**
 * The body of a request to an engine, built field by field from a generation. Nothing else of a client's request
 * exists by then: unknown fields, such as a cache salt of its own, were dropped when it was parsed.
 */
import { randomUUID } from "node:crypto";
import type { Image, RawPrompt, ReplyFormat, Sampling } from "../../core/chat/request.js";
import { ServiceError } from "../../core/errors.js";
import type { Generation } from "../../core/serving/engine-port.js";
import { cacheSalt } from "./cache-salt.js";
import type { EngineFacts } from "./checks/facts.js";
import { isConversation, promptFields, type PromptInput, toolChoiceFields } from "./conversation.js";
import type { Profile } from "./profiles.js";

export interface UpstreamRequest {
  profile: Profile;
  model: string;
  generation: Generation;
  prompt: PromptInput;
  maxTokens: number;
  /** Of this one request. */
  choices: number;
  seed: number | undefined;
  cacheSaltSecret: string;
  grammar: string | undefined;
}

/** Throws for parameters that change the reply and that this engine would ignore. */
export function requireSupported(
  profile: Profile,
  { sampling, topLogprobs, tooling, rawPrompt }: Generation,
  { vocabularySize, hasTools, hasInfill }: Pick<EngineFacts, "vocabularySize" | "hasTools" | "hasInfill">,
): void {
  if (rawPrompt?.type === "infill" && !supportsInfill(profile, hasInfill)) throw unsupported("suffix");
  if (rawPrompt?.type === "tokens" && !profile.takesTokens) {
    throw new ServiceError("unsupported_value", {
      message: "Unsupported value for 'prompt': the engine behind this model takes text, not tokens.",
      param: "prompt",
    });
  }
  if (profile.logitBias === "none" && sampling.logitBias.length > 0) throw unsupported("logit_bias");
  if (hasTools === false && tooling !== undefined) throw unsupported("tools");
  if (!profile.supportsLogprobsWithTools && topLogprobs !== undefined && tooling !== undefined) {
    throw new ServiceError("unsupported_parameter", {
      message: "The engine behind this model does not support 'logprobs' together with 'tools'.",
      param: "logprobs",
    });
  }
  if (vocabularySize !== undefined && sampling.logitBias.some(([token]) => token >= vocabularySize)) {
    throw new ServiceError("invalid_value", {
      message: `Invalid key in 'logit_bias': the tokens of this model are numbered from 0 to ${vocabularySize - 1}.`,
      param: "logit_bias",
    });
  }
}

/** Whether its model is known to fill in between two texts. */
export const supportsInfill = ({ infill }: Profile, hasInfill: boolean | undefined): boolean =>
  infill !== "none" && hasInfill === true;

const unsupported = (param: string): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message: `The engine behind this model does not support '${param}'.`,
    param,
  });

/** What is undefined in it is not sent. */
export function requestBody(request: UpstreamRequest): Record<string, unknown> {
  const { profile, generation, prompt, choices } = request;
  const stop = stopsFor(profile, generation);
  return {
    model: request.model,
    ...promptFields(profile, prompt),
    ...toolChoiceFields(profile, generation.tooling),
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: request.maxTokens,
    ...samplingFields(profile, generation.sampling),
    seed: request.seed,
    stop: stop.length === 0 ? undefined : stop,
    n: choices === 1 ? undefined : choices,
    ...logprobFields(profile, generation),
    ...(request.grammar === undefined ? formatFields(generation.format) : { grammar: request.grammar }),
    ...(isConversation(prompt) && profile.extraFields),
    ...cacheFields(profile, request.cacheSaltSecret, generation.accountId),
  };
}

/**
 * Sequences that are not sent are matched here (choice-reader.ts), which ends the stream and knows which one matched.
 */
const stopsFor = (profile: Profile, { stop, namesStop = false }: Generation): string[] =>
  namesStop && !profile.reportsStop ? [] : stop.slice(0, profile.maxStops);

function samplingFields(profile: Profile, sampling: Sampling): Record<string, unknown> {
  const { frequencyPenalty, presencePenalty, logitBias } = sampling;
  return {
    temperature: sampling.temperature,
    // Left out unless the client chose it: the engine knows what is recommended for its model.
    top_p: sampling.topPGiven ? Math.max(sampling.topP, profile.minTopP) : undefined,
    // 0 is the default.
    frequency_penalty: frequencyPenalty || undefined,
    presence_penalty: presencePenalty || undefined,
    ...(logitBias.length > 0 && {
      logit_bias: profile.logitBias === "pairs" ? logitBias : Object.fromEntries(logitBias),
    }),
  };
}

function logprobFields(profile: Profile, { topLogprobs, rawPrompt }: Generation): Record<string, unknown> {
  if (topLogprobs === undefined) return {};
  const alternatives = Math.max(topLogprobs, profile.minTopLogprobs);
  return rawPrompt === undefined
    ? { logprobs: true, top_logprobs: alternatives }
    : { logprobs: alternatives };
}

/** Where the request goes, and with it the shape of the reply. */
export const usesInfillEndpoint = ({ infill }: Profile, prompt: RawPrompt | undefined): boolean =>
  infill === "endpoint" && prompt?.type === "infill";

export function pathFor(profile: Profile, { rawPrompt }: Generation): string {
  if (rawPrompt === undefined) return "/v1/chat/completions";
  return usesInfillEndpoint(profile, rawPrompt) ? "/infill" : "/v1/completions";
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

export function cacheFields({ cache }: Profile, secret: string, accountId: string): Record<string, unknown> {
  switch (cache.type) {
    case "salt":
      return { [cache.field]: cacheSalt(secret, accountId) };
    case "off":
      return cache.fields;
    case "none":
      return {};
  }
}

/** Stands for an image until it is copied. It leaves the process nowhere, so that no text can have it. */
const mark = randomUUID();

/**
 * The JSON of a body. JSON.stringify and the encoding as UTF-8 look at every character, which blocks the event loop for
 * 45 ms where an image has 10 MB. Base64 needs neither: it is copied to its place, in a third of that. The images' URLs
 * were checked when they were read: nothing in them has to be escaped.
 */
export function jsonBody(body: object, images: readonly Image[]): string | Buffer {
  if (images.length === 0) return JSON.stringify(body);
  const urls = new Set(images.map(({ url }) => url));
  const inOrder: string[] = [];
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value !== "string" || !urls.has(value)) return value;
    inOrder.push(value);
    return mark;
  });
  const length = inOrder.reduce((sum, url) => sum + url.length - mark.length, Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [index, piece] of text.split(mark).entries()) {
    at += bytes.write(piece, at);
    at += bytes.write(inOrder[index] ?? "", at, "latin1");
  }
  return bytes;
}
