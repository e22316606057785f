/** The wire shape of a response: whole, or as far as a stream has come. */
import type { FinishReason } from "../chat.js";
import type { Asked, ReplyChoice, ReplyHead, Usage } from "../dialect.js";
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
  { echo }: Asked,
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
  asked: Asked,
  choice: ReplyChoice,
  usage: Usage,
): ResponseObject {
  const output = outputOf(head, asked, choice);
  head.keep?.(output.map(keptItem));
  return responseObject(head, asked, finished(choice.finishReason, output, usage));
}

/** Whether a reply without text and calls has a message nevertheless: unless it was cut within its thoughts. */
export const endsInMessage = (hasThoughts: boolean, reason: FinishReason): boolean =>
  !hasThoughts || reason !== "length";

function outputOf(
  { id }: ReplyHead,
  { showsSummary = false, callNames = [] }: Asked,
  { text, reasoning, calls, finishReason, logprobs }: ReplyChoice,
): OutputItem[] {
  const output: OutputItem[] = [];
  const nextId = (type: OutputItem["type"]) => itemId(type, id, output.length);
  const status = "completed";
  if (reasoning !== "") {
    const content = [reasoningText(reasoning)];
    const summary = showsSummary ? [summaryText(reasoning)] : [];
    output.push({ id: nextId("reasoning"), type: "reasoning", status, summary, content });
  }
  if (text !== "" || (calls.length === 0 && endsInMessage(reasoning !== "", finishReason))) {
    const content = [outputText(text, wireLogprobs(logprobs ?? []))];
    output.push({ id: nextId("message"), type: "message", status, role: "assistant", content });
  }
  for (const call of calls) {
    output.push({
      id: nextId("function_call"),
      type: "function_call",
      status,
      call_id: call.id,
      ...nameOnWire(callNames, call.name),
      arguments: call.arguments,
    });
  }
  const last = output.at(-1);
  if (last !== undefined && finishReason === "length") last.status = "incomplete";
  return output;
}

const wireUsage = ({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage): WireUsage => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
  output_tokens: completionTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: promptTokens + completionTokens,
});
