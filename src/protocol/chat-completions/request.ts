/**
 * From the JSON body of `POST /v1/chat/completions` to a `ChatRequest`. The order of the statements below is
 * the contract's order of errors: `model`, then `messages`, then the other fields. Unknown fields are
 * ignored; a field that would silently change the meaning of the reply if it were ignored is refused.
 */
import type { ChatRequest, Sampling, ServiceTier } from "../../core/chat/request.js";
import { readMessages } from "./messages.js";
import { effort } from "../reasoning-effort.js";
import { readSampling } from "../sampling.js";
import { readFormat } from "./format.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { readTooling } from "./tools.js";

const stopList = json.nonEmptyStrings(16);
export const tokenCount = json.integer(1, 2 ** 31 - 1);
export const seed = json.integer(-(2 ** 63), 2 ** 63);
export const penalty = json.decimal(-2, 2);
/** OpenAI's own bounds, but for the number of choices: each holds a sequence of the engine. */
export const choiceCount = json.integer(1, 8);
export const alternatives = json.integer(0, 20);
const maxBiases = 300;

export function parseChatRequest(value: unknown): ChatRequest {
  const body = json.bodyObject(value);
  const model = json.required(body, "model", json.nonEmptyString);
  const messages = json.required(body, "messages", readMessages);

  const sampling = readFullSampling(body);
  const maxTokens = json.optional(body, "max_tokens", tokenCount);
  const maxCompletionTokens = json.optional(body, "max_completion_tokens", tokenCount);
  const stop = json.optional(body, "stop", stops) ?? [];
  const stream = json.optional(body, "stream", json.boolean) ?? false;
  const includeUsage = readIncludeUsage(body, stream);
  const choices = json.optional(body, "n", choiceCount) ?? 1;
  const topLogprobs = readTopLogprobs(body);
  const format = readFormat(body);
  const tooling = readTooling(body);
  const reasoningEffort = json.optional(body, "reasoning_effort", effort);
  refuseUnsupported(body);
  const serviceTier = readServiceTier(body);
  return {
    model,
    messages,
    sampling,
    stop,
    maxTokens: maxCompletionTokens ?? maxTokens,
    choices,
    topLogprobs,
    format,
    tooling,
    reasoningEffort,
    stream,
    includeUsage,
    ...(serviceTier === undefined ? {} : { serviceTier }),
  };
}

/** `auto`, `priority` and whatever else there may be are answered like `default`. Undefined where none is asked for. */
export const readServiceTier = ({ service_tier: tier }: JsonObject): ServiceTier | undefined => {
  if (tier === undefined || tier === null) return undefined;
  return tier === "flex" ? "flex" : "default";
};

/** All that OpenAI's APIs have. */
export const readFullSampling = (body: JsonObject): Sampling => ({
  ...readSampling(body, 2),
  frequencyPenalty: json.optional(body, "frequency_penalty", penalty) ?? 0,
  presencePenalty: json.optional(body, "presence_penalty", penalty) ?? 0,
  seed: json.optional(body, "seed", seed),
  logitBias: json.optional(body, "logit_bias", biases) ?? [],
});

export const stops: Reader<string[]> = (value, path) => {
  if (typeof value === "string") return [json.nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of strings", value);
  return stopList(value, path);
};

export function readIncludeUsage(body: JsonObject, stream: boolean): boolean {
  const options = json.optional(body, "stream_options", json.object);
  if (options === undefined) return false;
  if (!stream) {
    const message = "'stream_options' is only allowed when 'stream' is true.";
    throw json.refusal("invalid_value", "stream_options", message);
  }
  return json.optional(options, "include_usage", json.boolean, "stream_options") ?? false;
}

/** Keys are numbers of tokens, as strings since JSON has no other keys. */
const biases: Reader<(readonly [number, number])[]> = (value, path) => {
  const entries = Object.entries(json.object(value, path));
  if (entries.length > maxBiases) {
    const message = `'${path}' has too many entries: expected at most ${maxBiases}, but got ${entries.length}.`;
    throw json.refusal("invalid_value", path, message);
  }
  return entries.map(([token, bias], index) => {
    if (!/^\d{1,9}$/.test(token)) {
      const message = `Invalid key in '${path}': expected the number of a token, such as '1234'.`;
      throw json.refusal("invalid_value", path, message);
    }
    // By its position: tokens are text in another form.
    return [Number(token), json.decimal(-100, 100)(bias, `${path}[${index}]`)] as const;
  });
};

export function readTopLogprobs(body: JsonObject): number | undefined {
  const wanted = json.optional(body, "logprobs", json.boolean) ?? false;
  const top = json.optional(body, "top_logprobs", alternatives);
  if (top !== undefined && !wanted) {
    const message = "'top_logprobs' is only allowed when 'logprobs' is true.";
    throw json.refusal("invalid_value", "top_logprobs", message);
  }
  return wanted ? (top ?? 0) : undefined;
}

const replaced = [
  ["functions", "tools"],
  ["function_call", "tool_choice"],
] as const;
const absent = [
  ["audio", "audio"],
  ["web_search_options", "web search"],
] as const;

function refuseUnsupported(body: JsonObject): void {
  for (const [param, instead] of replaced) {
    const value = json.optional(body, param, json.anything);
    const isInert = value === undefined || value === "none" || (Array.isArray(value) && value.length === 0);
    if (isInert) continue;
    const message = `Unsupported parameter: '${param}' is deprecated. Use '${instead}' instead.`;
    throw json.refusal("unsupported_parameter", param, message);
  }
  for (const [param, what] of absent) json.refuse(body, param, lacking(what));
  const modalities = json.optional(body, "modalities", json.array) ?? [];
  if (modalities.some((modality) => modality !== "text")) {
    throw json.unsupportedParameter("modalities", lacking("any modality but 'text'"));
  }
}

const lacking = (what: string): string => `This service does not support ${what}.`;
