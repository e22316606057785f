/** The wire shape of a response: whole, or as far as a stream has come. */
import type { FinishReason, ChoicePart, ReplyChoice, Usage } from "../../core/chat/reply.js";
import type { ParsedRequest, ReplyHead } from "../dialect.js";
import { nameOnWire } from "./namespaces.js";
import {
  itemId,
  keptItem,
  outputText,
  reasoningText,
  summaryText,
  wireLogprobs,
  type OutputItem,
} from "./output.js";

interface WireUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export interface ResponseState {
  status: "in_progress" | "completed" | "incomplete" | "failed";
  error: { code: string; message: string } | null;
  incomplete_details: { reason: "max_output_tokens" } | null;
  output: readonly OutputItem[];
  /** Once it is known. */
  usage?: WireUsage;
}

export interface ResponseObject extends ResponseState {
  id: string;
  object: "response";
  created_at: number;
  model: string;
  access_programs: null;
  background: false;
  previous_response_id: null;
  service_tier: "default";
  store: false;
  truncation: "disabled";
  /** Those that repeat the request. */
  [echoed: string]: unknown;
}

export function responseObject(
  { id, created, model }: Readonly<ReplyHead>,
  { echo }: ParsedRequest,
  state: ResponseState,
): ResponseObject {
  return {
    id,
    object: "response",
    created_at: created,
    model,
    access_programs: null,
    background: false,
    previous_response_id: null,
    service_tier: "default",
    store: false,
    truncation: "disabled",
    ...echo,
    ...state,
  };
}

export const inProgress: ResponseState = {
  status: "in_progress",
  error: null,
  incomplete_details: null,
  output: [],
};

export const finished = (
  reason: FinishReason,
  output: readonly OutputItem[],
  usage: Usage,
): ResponseState => ({
  ...inProgress,
  ...(reason === "length"
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed" }),
  output,
  usage: wireUsage(usage),
});

export function wholeResponse(
  head: ReplyHead,
  request: ParsedRequest,
  choice: ReplyChoice,
  usage: Usage,
): ResponseObject {
  const output = outputOf(head, request, choice);
  head.keep?.(output.map(keptItem));
  return responseObject(head, request, finished(choice.finishReason, output, usage));
}

/** Whether a reply without text and calls still has a message: unless it was cut off while reasoning. */
export const endsInMessage = (hasReasoning: boolean, reason: FinishReason): boolean =>
  !hasReasoning || reason !== "length";

function outputOf(
  { id }: ReplyHead,
  request: ParsedRequest,
  { parts, finishReason }: ReplyChoice,
): OutputItem[] {
  const hasReply = parts.some(({ type }) => type !== "reasoning");
  const isMissing = !hasReply && endsInMessage(parts.length > 0, finishReason);
  const shown = isMissing ? [...parts, emptyText] : parts;
  const output = shown.map((part, index) => itemOf(part, request, id, index));
  const last = output.at(-1);
  if (last !== undefined && finishReason === "length") last.status = "incomplete";
  return output;
}

const emptyText: ChoicePart = { type: "text", text: "", logprobs: [] };

function itemOf(part: ChoicePart, request: ParsedRequest, responseId: string, index: number): OutputItem {
  const status = "completed";
  switch (part.type) {
    case "reasoning": {
      const content = [reasoningText(part.text)];
      const id = itemId("reasoning", responseId, index);
      const summary = request.showsSummary === true ? [summaryText(part.text)] : [];
      return { id, type: "reasoning", status, summary, content };
    }
    case "text": {
      const content = [outputText(part.text, wireLogprobs(part.logprobs))];
      return {
        id: itemId("message", responseId, index),
        type: "message",
        status,
        role: "assistant",
        content,
      };
    }
    case "call": {
      const id = itemId("function_call", responseId, index);
      const named = nameOnWire(request.callNames ?? [], part.name);
      return { id, type: "function_call", status, call_id: part.id, ...named, arguments: part.arguments };
    }
  }
}

const wireUsage = ({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage): WireUsage => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
  output_tokens: completionTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: promptTokens + completionTokens,
});
