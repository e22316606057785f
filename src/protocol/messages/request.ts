/**
 * From the JSON body of `POST /v1/messages` to a `ChatRequest`. The order of the statements below is the order of
 * errors: `model`, then `messages`, then the other fields. Unknown fields are ignored, and so are those that only
 * concern that API's own service (`metadata`, `service_tier`, `cache_control`, `context_management`, `inference_geo`,
 * `speed`); what would change the meaning of the reply is refused.
 */
import type { ChatRequest, ReasoningEffort, ReplyFormat } from "../../core/chat/request.js";
import { tokenCount } from "../chat-completions/request.js";
import type { ParsedRequest } from "../dialect.js";
import { imageSizes } from "../images.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { effortWhenOn } from "../reasoning-effort.js";
import { neutralRequest, readSampling } from "../sampling.js";
import { modestSchema } from "../schema-budget.js";
import { readConversation } from "./conversation.js";
import { threadParam } from "./errors.js";
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
      ...neutralRequest,
      model,
      messages,
      sampling,
      stop,
      namesStop: true,
      maxTokens,
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
  json.refuse(body, threadParam, "Nothing is stored here: send the whole conversation in 'messages'.");
}

function refuseUnsupported(body: JsonObject): void {
  if ((json.optional(body, "mcp_servers", json.array) ?? []).length > 0) {
    const reason = "This service does not connect to MCP servers itself. Connect the client to them instead.";
    throw json.unsupportedParameter("mcp_servers", reason);
  }
  json.refuse(body, "container", "This service does not run code or skills in containers.");
}

/** `output_config.format`, and `output_format` as it was called first: JSON that a schema describes. */
function readFormat(body: JsonObject): ReplyFormat {
  const config = json.optional(body, "output_config", json.object) ?? {};
  const format =
    json.optional(config, "format", jsonFormat, "output_config") ??
    json.optional(body, "output_format", jsonFormat);
  return format ?? { type: "text" };
}

/** That API promises a reply that follows the schema, so what cannot be enforced is refused. */
const jsonFormat: Reader<ReplyFormat> = (value, path) => {
  const fields = json.object(value, path);
  if (json.required(fields, "type", json.string, path) !== "json_schema") {
    throw json.invalidValue(`${path}.type`, "expected 'json_schema'");
  }
  return {
    type: "json_schema",
    name: "reply",
    schema: json.required(fields, "schema", modestSchema, path),
    strict: true,
  };
};

/**
 * `thinking` and `output_config.effort`: whether the model thinks before it replies, and for how long. As in that API,
 * it does not unless the request asks for it: clients that do not ask take the first block of a reply for its text. An
 * effort that is undefined leaves it to the model.
 */
function readEffort(body: JsonObject): Required<Pick<ChatRequest, "reasoningEffort" | "isEffortImplied">> {
  const config = json.optional(body, "output_config", json.object) ?? {};
  const effort = json.optional(config, "effort", effortWhenOn, "output_config");
  const thinking = json.optional(body, "thinking", effortOfThinking);
  const isEffortImplied = thinking === undefined;
  if (isEffortImplied || thinking === "none") return { reasoningEffort: "none", isEffortImplied };
  const reasoningEffort = thinking === "adaptive" ? effort : (effort ?? thinking);
  return { reasoningEffort, isEffortImplied };
}

const effortOfThinking: Reader<ReasoningEffort | "adaptive"> = (value, path) => {
  const fields = json.object(value, path);
  switch (json.required(fields, "type", thinkingType, path)) {
    case "disabled":
      return "none";
    case "adaptive":
    case "between_tools":
      return "adaptive";
    case "enabled":
      return effortFor(json.required(fields, "budget_tokens", budget, path));
  }
};

const thinkingType = json.oneOf("enabled", "disabled", "adaptive", "between_tools");
const budget = json.integer(1, 2 ** 31 - 1);

/** Models know steps, not numbers of tokens. */
function effortFor(budgetTokens: number): ReasoningEffort {
  if (budgetTokens <= 4_096) return "low";
  return budgetTokens <= 16_384 ? "medium" : "high";
}
