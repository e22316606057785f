/**
 * From the JSON body of `POST /v1/messages` to a `ChatRequest`. The order of the statements below is the order of
 * errors: `model`, then `messages`, then the other fields. Unknown fields are ignored, and so are those that only
 * concern that API's own service (`metadata`, `service_tier`, `cache_control`, `context_management`, `inference_geo`,
 * `speed`); what would change the meaning of the reply is refused.
 */
import type { ChatRequest } from "../../core/chat/request.js";
import { tokenCount } from "../chat-completions/request.js";
import type { ParsedRequest } from "../dialect.js";
import { imageSizes } from "../images.js";
import type { JsonObject } from "../read-json.js";
import * as json from "../read-json.js";
import { readSampling } from "../sampling.js";
import { readConversation } from "./conversation.js";
import { threadParam } from "./errors.js";
import { readFormat } from "./format.js";
import { readEffort } from "./thinking.js";
import { readTooling } from "./tools.js";

/** More than clients send. Each is looked for in every character of the reply. */
const stops = json.nonEmptyStrings(32);
const topK = json.integer(0, 2 ** 31 - 1);

export const readMessagesRequest = (body: unknown): ParsedRequest => readFields(json.bodyObject(body), true);

/** Of a request whose prompt is to be counted: as there is no reply, its length may be left out. */
export const readCountRequest = (body: unknown): ParsedRequest => readFields(json.bodyObject(body), false);

function readFields(body: JsonObject, isReplyWanted: boolean): ParsedRequest {
  const model = json.required(body, "model", json.nonEmptyString);
  refuseThread(body);
  const messages = readConversation(body);
  if (isReplyWanted) requireUsersTurn(messages);
  const maxTokens = isReplyWanted ? json.required(body, "max_tokens", tokenCount) : undefined;
  const stop = json.optional(body, "stop_sequences", stops) ?? [];
  const stream = json.optional(body, "stream", json.boolean) ?? false;
  const sampling = readSampling(body, 1);
  // Clients send it. 1 means the likeliest token, which is temperature 0; any other number only trims a tail that
  // `top_p` trims as well, and is ignored.
  if (json.optional(body, "top_k", topK) === 1) sampling.temperature = 0;
  const format = readFormat(body);
  const { tooling, hosted } = readTooling(body);
  const effort = readEffort(body);
  refuseUnsupported(body);
  return {
    chat: {
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
    },
    hosted,
    ...imageSizes(messages, "messages"),
  };
}

/** Engines begin a turn; none can be relied on to go on with one that the client began. */
function requireUsersTurn(messages: ChatRequest["messages"]): void {
  if (messages.at(-1)?.role !== "assistant") return;
  throw json.unsupportedValue(
    "messages",
    "the last message must not be the assistant's. This service does not continue a reply that the client began (prefill)",
  );
}

/** Before the messages: those of a thread are only its newest, and make no sense without the others. */
function refuseThread(body: JsonObject): void {
  if (json.optional(body, threadParam, json.anything) === undefined) return;
  const reason = "Nothing is stored here: send the whole conversation in 'messages'.";
  throw json.unsupportedParameter(threadParam, reason);
}

function refuseUnsupported(body: JsonObject): void {
  if ((json.optional(body, "mcp_servers", json.array) ?? []).length > 0) {
    const reason = "This service does not connect to MCP servers itself. Connect the client to them instead.";
    throw json.unsupportedParameter("mcp_servers", reason);
  }
  if (json.optional(body, "container", json.anything) !== undefined) {
    throw json.unsupportedParameter("container", "This service does not run code or skills in containers.");
  }
}
