/** The wire shape of a response, as far as it has come. */
import type { FinishReason, Usage } from "../../core/chat/reply.js";
import type { ParsedRequest, ReplyHead } from "../dialect.js";
import type { OutputItem } from "./output.js";

export interface ResponseState {
  status: "in_progress" | "completed" | "incomplete" | "failed";
  error: { code: string; message: string } | null;
  incomplete_details: { reason: "max_output_tokens" } | null;
  output: readonly OutputItem[];
  /** Once it is known. */
  usage?: ReturnType<typeof wireUsage>;
}

export function responseObject(
  { id, created, model }: Readonly<ReplyHead>,
  { echo, chat }: ParsedRequest,
  state: ResponseState,
): object {
  return {
    id,
    object: "response",
    created_at: created,
    model,
    access_programs: null,
    background: false,
    previous_response_id: null,
    service_tier: chat.serviceTier ?? "default",
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

export const wireUsage = ({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage) => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
  output_tokens: completionTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: promptTokens + completionTokens,
});
