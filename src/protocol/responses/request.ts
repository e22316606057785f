/**
 * From the JSON body of `POST /v1/responses` to a `ChatRequest`. The order of the statements below is the contract's
 * order of errors: `model`, `input`, then the other fields. Nothing is stored here, so whatever refers to something
 * stored is refused, and that before `input` is read: without it, `input` may well be incomplete. Unknown fields are
 * ignored.
 */
import type { ReplyFormat } from "../../core/chat/request.js";
import { format } from "../chat-completions/format.js";
import { alternatives, readServiceTier, tokenCount } from "../chat-completions/request.js";
import type { ParsedRequest } from "../dialect.js";
import { imageSizes } from "../images.js";
import type { JsonObject } from "../read-json.js";
import * as json from "../read-json.js";
import { effort } from "../reasoning-effort.js";
import { neutralRequest, readSampling } from "../sampling.js";
import { messagesOf, readInput, refersElsewhere, withInstructions, type ItemLookups } from "./input.js";
import type { PlacedItem } from "./items.js";
import { nameInPrompt } from "./namespaces.js";
import { endsWithTrigger, keptTexts, summaryTokens, withInstruction } from "./summaries.js";
import { readFlatTooling, type FlatTooling } from "./tools.js";

export function readResponseRequest(value: unknown): ParsedRequest {
  const body = json.bodyObject(value);
  return readFields(body, endsWithTrigger(body.input));
}

/** Of `POST /v1/responses/compact`. */
export const readCompactRequest = (value: unknown): ParsedRequest => {
  const { chat, ...rest } = readFields(json.bodyObject(value), true);
  return { ...rest, chat: { ...chat, stream: false } };
};

function readFields(body: JsonObject, compacts: boolean): ParsedRequest {
  const model = json.required(body, "model", json.nonEmptyString);
  json.required(body, "input", json.anything);
  refuseStored(body);
  const items = json.required(body, "input", readInput);
  // Errors of the conversation come before those of the tools, whose names its calls may need.
  let tools: FlatTooling | undefined;
  const readTools = () => (tools ??= readFlatTooling(body));
  const isResolved = !refersElsewhere(items);
  const nameOf = (namespace: string, name: string) => nameInPrompt(readTools().callNames, namespace, name);
  const input = isResolved ? messagesOf(items, { nameOf }) : [];
  const sizes = imageSizes(items.map(partsOf), "input");

  const instructions = json.optional(body, "instructions", json.string);
  const sampling = readSampling(body, 2);
  const maxTokens = json.optional(body, "max_output_tokens", tokenCount);
  const stream = json.optional(body, "stream", json.boolean) ?? false;
  json.optional(body, "stream_options", json.object);
  const topLogprobs = readTopLogprobs(body);
  const replyFormat = readTextFormat(body);
  const { tooling, callNames, hosted, echo: toolEcho } = readTools();
  const reasoning = json.optional(body, "reasoning", json.object) ?? {};
  const reasoningEffort = json.optional(reasoning, "effort", effort, "reasoning");
  const summary = json.optional(reasoning, "summary", summaryKind, "reasoning");
  const keepsItems = json.optional(body, "store", json.boolean) ?? true;
  const metadata = json.optional(body, "metadata", json.object) ?? {};
  const user = json.optional(body, "user", json.string);
  const serviceTier = readServiceTier(body);
  const parsed: ParsedRequest = {
    chat: {
      ...neutralRequest,
      model,
      messages: isResolved ? withInstructions(instructions, input) : [],
      sampling,
      maxTokens,
      topLogprobs,
      format: replyFormat,
      tooling,
      reasoningEffort,
      stream,
      includeUsage: true,
      ...(serviceTier === undefined ? {} : { serviceTier }),
    },
    echo: {
      instructions: instructions ?? null,
      max_output_tokens: maxTokens ?? null,
      ...toolEcho,
      reasoning: {
        effort: json.optional(reasoning, "effort", json.string, "reasoning") ?? null,
        summary: summary ?? null,
      },
      temperature: sampling.temperature,
      text: { format: wireFormat(replyFormat) },
      top_p: sampling.topP,
      top_logprobs: topLogprobs ?? 0,
      metadata,
      ...(user === undefined ? {} : { user }),
    },
    hosted,
    callNames,
    showsSummary: summary !== undefined,
    keepsItems,
    ...sizes,
    ...(isResolved ? {} : { unresolved: { items, instructions } }),
  };
  return compacts ? compacting(parsed, items) : parsed;
}

/** The same conversation, of which nothing but a summary is wanted: no tool is called, whatever there are. */
function compacting(parsed: ParsedRequest, items: readonly PlacedItem[]): ParsedRequest {
  const { chat, unresolved } = parsed;
  return {
    ...parsed,
    chat: {
      ...chat,
      messages: unresolved === undefined ? withInstruction(chat.messages) : chat.messages,
      maxTokens: chat.maxTokens ?? summaryTokens,
      topLogprobs: undefined,
      format: { type: "text" },
      tooling: undefined,
    },
    hosted: [],
    compaction: { kept: keptTexts(items) },
  };
}

/** With the messages, where they had to wait for what the conversation refers to. */
export function resolveItems(parsed: ParsedRequest, lookups: ItemLookups): ParsedRequest {
  const { unresolved, chat, callNames = [], compaction } = parsed;
  if (unresolved === undefined) return parsed;
  const nameOf = (namespace: string, name: string) => nameInPrompt(callNames, namespace, name);
  const input = messagesOf(unresolved.items, { nameOf, ...lookups });
  const messages = withInstructions(unresolved.instructions, input);
  return {
    ...parsed,
    chat: { ...chat, messages: compaction === undefined ? messages : withInstruction(messages) },
  };
}

const partsOf = ({ item }: PlacedItem) => ("parts" in item ? item : {});

const summaryKind = json.oneOf("auto", "concise", "detailed");

/** What each would need to be stored. */
const storedThings = {
  previous_response_id: "responses",
  conversation: "conversations",
  prompt: "prompts",
};

function refuseStored(body: JsonObject): void {
  for (const [param, what] of Object.entries(storedThings)) {
    json.refuse(body, param, `This service stores no ${what}: send the whole conversation in 'input'.`);
  }
  if (json.optional(body, "background", json.boolean) !== true) return;
  const reason =
    "This service stores no responses that could be fetched later: wait for the reply, or stream it.";
  throw json.unsupportedParameter("background", reason);
}

function readTopLogprobs(body: JsonObject): number | undefined {
  const included = json.optional(body, "include", json.array) ?? [];
  const top = json.optional(body, "top_logprobs", alternatives) ?? 0;
  return top > 0 || included.includes("message.output_text.logprobs") ? top : undefined;
}

function readTextFormat(body: JsonObject): ReplyFormat {
  const text = json.optional(body, "text", json.object) ?? {};
  return json.optional(text, "format", format(flat), "text") ?? { type: "text" };
}

const flat = (fields: JsonObject, path: string) => [fields, path] as const;

const wireFormat = (parsed: ReplyFormat): ReplyFormat =>
  parsed.type === "json_schema" ? { ...parsed, strict: parsed.strict ?? false } : parsed;
