/**
 * From the JSON body of `POST /v1/chat/completions` to a `ChatRequest`. The order of the statements below is
 * the contract's order of errors: `model`, then `messages`, then the other fields. Unknown fields are
 * ignored; a field that would silently change the meaning of the reply if it were ignored is refused.
 */
import type { ChatMessage, ChatRequest, ChatRole } from "./chat.js";
import { ServiceError } from "./errors.js";
import { readFormat } from "./reply-format.js";
import {
  array,
  boolean,
  decimal,
  integer,
  isObject,
  nonEmptyArray,
  nonEmptyString,
  object,
  optional,
  required,
  string,
  wrongType,
  type JsonObject,
  type Reader,
} from "./read-json.js";

const maxStops = 4;
/** OpenAI's own bound. A template is run over every message, and a hundred thousand empty ones would block an engine. */
const maxMessages = 2048;
const tokenCount = integer(1, 2 ** 31 - 1);
const seed = integer(-(2 ** 63), 2 ** 63);
const penalty = decimal(-2, 2);
/** OpenAI's own bounds, but for the number of choices: each holds a sequence of the engine. */
const choiceCount = integer(1, 8);
const alternatives = integer(0, 20);
const maxBiases = 300;

export function parseChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) {
    throw new ServiceError("invalid_json", { message: "The request body must be one JSON object." });
  }
  const model = required(body, "model", nonEmptyString);
  const messages = atMost(maxMessages, required(body, "messages", nonEmptyArray), "messages").map(
    (item, index) => message(item, `messages[${index}]`),
  );

  const temperature = optional(body, "temperature", decimal(0, 2));
  const topP = optional(body, "top_p", decimal(0, 1));
  const frequencyPenalty = optional(body, "frequency_penalty", penalty);
  const presencePenalty = optional(body, "presence_penalty", penalty);
  const maxTokens = optional(body, "max_tokens", tokenCount);
  const maxCompletionTokens = optional(body, "max_completion_tokens", tokenCount);
  const stop = optional(body, "stop", stops) ?? [];
  const stream = optional(body, "stream", boolean) ?? false;
  const includeUsage = readIncludeUsage(body, stream);
  const sampling = {
    temperature: temperature ?? 1,
    topP: topP ?? 1,
    topPGiven: topP !== undefined,
    frequencyPenalty: frequencyPenalty ?? 0,
    presencePenalty: presencePenalty ?? 0,
    seed: optional(body, "seed", seed),
    logitBias: optional(body, "logit_bias", biases) ?? [],
  };
  const choices = optional(body, "n", choiceCount) ?? 1;
  const topLogprobs = readTopLogprobs(body);
  const format = readFormat(body);
  refuseUnsupported(body);
  return {
    model,
    messages,
    sampling,
    stop,
    maxTokens: maxCompletionTokens ?? maxTokens,
    choices,
    topLogprobs,
    format,
    stream,
    includeUsage,
  };
}

const message: Reader<ChatMessage> = (value, path) => {
  const fields = object(value, path);
  const messageRole = required(fields, "role", role, path);
  const read = messageRole === "assistant" ? contentOrNull : content;
  return { role: messageRole, content: required(fields, "content", read, path) };
};

const role: Reader<ChatRole> = (value, path) => {
  switch (string(value, path)) {
    // Some client versions send `developer` for any model whose id starts with "o".
    case "developer":
    case "system":
      return "system";
    case "user":
      return "user";
    case "assistant":
      return "assistant";
    default:
      throw new ServiceError("invalid_value", {
        message: `Invalid value for '${path}': expected one of 'system', 'user' and 'assistant'.`,
        param: path,
      });
  }
};

const content: Reader<string> = (value, path) => {
  if (typeof value === "string") return string(value, path);
  if (!Array.isArray(value)) throw wrongType(path, "a string or an array of text parts", value);
  return nonEmptyArray(value, path)
    .map((part, index) => textPart(part, `${path}[${index}]`))
    .join("");
};

/** An assistant's turn that only called tools has no text. */
const contentOrNull: Reader<string> = (value, path) => (value === null ? "" : content(value, path));

const textPart: Reader<string> = (value, path) => {
  const part = object(value, path);
  if (required(part, "type", string, path) === "text") return required(part, "text", string, path);
  throw new ServiceError("unsupported_value", {
    message: `Unsupported value for '${path}.type': only parts of type 'text' are supported.`,
    param: `${path}.type`,
  });
};

const stops: Reader<string[]> = (value, path) => {
  if (typeof value === "string") return [nonEmptyString(value, path)];
  if (!Array.isArray(value)) throw wrongType(path, "a string or an array of strings", value);
  return atMost(maxStops, array(value, path), path).map((item, index) =>
    nonEmptyString(item, `${path}[${index}]`),
  );
};

function atMost<T>(most: number, items: readonly T[], path: string): readonly T[] {
  if (items.length <= most) return items;
  throw new ServiceError("array_above_max_length", {
    message: `'${path}' is too long: expected at most ${most} items, but got ${items.length}.`,
    param: path,
  });
}

function readIncludeUsage(body: JsonObject, stream: boolean): boolean {
  const options = optional(body, "stream_options", object);
  if (options === undefined) return false;
  if (!stream) {
    throw new ServiceError("invalid_value", {
      message: "'stream_options' is only allowed when 'stream' is true.",
      param: "stream_options",
    });
  }
  return optional(options, "include_usage", boolean, "stream_options") ?? false;
}

/** Keys are numbers of tokens, as strings since JSON has no other keys. */
const biases: Reader<(readonly [number, number])[]> = (value, path) => {
  const entries = Object.entries(object(value, path));
  if (entries.length > maxBiases) {
    throw new ServiceError("invalid_value", {
      message: `'${path}' has too many entries: expected at most ${maxBiases}, but got ${entries.length}.`,
      param: path,
    });
  }
  return entries.map(([token, bias], index) => {
    if (!/^\d{1,9}$/.test(token)) {
      throw new ServiceError("invalid_value", {
        message: `Invalid key in '${path}': expected the number of a token, such as '1234'.`,
        param: path,
      });
    }
    // By its position: tokens are text in another form.
    return [Number(token), decimal(-100, 100)(bias, `${path}[${index}]`)] as const;
  });
};

function readTopLogprobs(body: JsonObject): number | undefined {
  const wanted = optional(body, "logprobs", boolean) ?? false;
  const top = optional(body, "top_logprobs", alternatives);
  if (top !== undefined && !wanted) {
    throw new ServiceError("invalid_value", {
      message: "'top_logprobs' is only allowed when 'logprobs' is true.",
      param: "top_logprobs",
    });
  }
  return wanted ? (top ?? 0) : undefined;
}

function refuseUnsupported(body: JsonObject): void {
  for (const name of ["tools", "functions"]) {
    if ((optional(body, name, array) ?? []).length > 0) throw unsupported(name, "calling tools");
  }
  if (optional(body, "audio", (value) => value) !== undefined) throw unsupported("audio", "audio");
}

const unsupported = (param: string, what: string): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message: `Unsupported parameter: '${param}'. This service does not support ${what}.`,
    param,
  });
