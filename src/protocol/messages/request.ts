/**
 * From the JSON body of `POST /v1/messages` to a `ChatRequest`. The order of the statements below is the order of errors:
 * `model`, then `messages`, then the other fields. Unknown fields are ignored, and so are those that only concern that
 * API's own service (`metadata`, `service_tier`, `cache_control`, `context_management`, `inference_geo`, `speed`); what
 * would change the meaning of the reply is refused.
 */
import type { ChatRequest } from "../chat.js";
import { ServiceError } from "../errors.js";
import {
  array,
  atMost,
  boolean,
  decimal,
  integer,
  isObject,
  nonEmptyString,
  optional,
  required,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { readConversation } from "./conversation.js";
import { threadParam } from "./errors.js";
import { readFormat } from "./format.js";
import { readEffort } from "./thinking.js";
import { readTooling } from "./tools.js";

/** More than clients send. Each is looked for in every character of the reply. */
const maxStops = 32;
const tokenCount = integer(1, 2 ** 31 - 1);
const topK = integer(0, 2 ** 31 - 1);

export function readMessagesRequest(body: unknown): ChatRequest {
  const fields = requireObject(body);
  const read = readFields(fields, (messages) => {
    requireUsersTurn(messages);
    return required(fields, "max_tokens", tokenCount);
  });
  return read;
}

/** Of a request whose prompt is to be counted: a reply is not asked for, so its length may be left out. */
export const readCountRequest = (body: unknown): ChatRequest =>
  readFields(requireObject(body), () => undefined);

function readFields(
  body: JsonObject,
  readMaxTokens: (messages: ChatRequest["messages"]) => number | undefined,
): ChatRequest {
  const model = required(body, "model", nonEmptyString);
  refuseThread(body);
  const messages = readConversation(body);
  const maxTokens = readMaxTokens(messages);
  const stop = optional(body, "stop_sequences", stops) ?? [];
  const stream = optional(body, "stream", boolean) ?? false;
  const sampling = readSampling(body);
  const format = readFormat(body);
  const tooling = readTooling(body);
  const effort = readEffort(body);
  refuseUnsupported(body);
  return {
    model,
    messages,
    sampling,
    stop,
    namesStop: true,
    maxTokens,
    choices: 1,
    topLogprobs: undefined,
    format,
    tooling,
    ...effort,
    stream,
    includeUsage: true,
  };
}

function requireObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new ServiceError("invalid_json", { message: "The request body must be one JSON object." });
}

/** Engines begin a turn; none can be relied on to go on with one that the client began. */
function requireUsersTurn(messages: ChatRequest["messages"]): void {
  if (messages.at(-1)?.role !== "assistant") return;
  throw new ServiceError("unsupported_value", {
    message:
      "Unsupported value for 'messages': the last message must not be the assistant's. " +
      "This service does not continue a reply that the client began (prefill).",
    param: "messages",
  });
}

/** Before the messages: those of a thread are only its newest, and make no sense without the others. */
function refuseThread(body: JsonObject): void {
  if (optional(body, "thread", (value) => value) === undefined) return;
  throw new ServiceError("unsupported_parameter", {
    message:
      "Unsupported parameter: 'thread'. Nothing is stored here: send the whole conversation in 'messages'.",
    param: threadParam,
  });
}

const stops: Reader<string[]> = (value, path) =>
  atMost(maxStops, array(value, path), path).map((item, index) => nonEmptyString(item, `${path}[${index}]`));

/**
 * `top_k` is accepted, since clients send it: 1 means the likeliest token, which is temperature 0. Any other number only
 * trims a tail that `top_p` trims as well, and is ignored.
 */
function readSampling(body: JsonObject): ChatRequest["sampling"] {
  const temperature = optional(body, "temperature", decimal(0, 1)) ?? 1;
  const topP = optional(body, "top_p", decimal(0, 1));
  return {
    temperature: optional(body, "top_k", topK) === 1 ? 0 : temperature,
    topP: topP ?? 1,
    topPGiven: topP !== undefined,
    frequencyPenalty: 0,
    presencePenalty: 0,
    seed: undefined,
    logitBias: [],
  };
}

function refuseUnsupported(body: JsonObject): void {
  if ((optional(body, "mcp_servers", array) ?? []).length > 0) {
    throw unsupported("mcp_servers", "connect to MCP servers itself. Connect the client to them instead");
  }
  if (optional(body, "container", (value) => value) !== undefined) {
    throw unsupported("container", "run code or skills in containers");
  }
}

const unsupported = (param: string, what: string): ServiceError =>
  new ServiceError("unsupported_parameter", {
    message: `Unsupported parameter: '${param}'. This service does not ${what}.`,
    param,
  });
