/** The wire shapes of a whole reply, and those that it shares with the chunks of a stream. */
import type { ChatRequest, ToolCall } from "../../core/chat/request.js";
import type { ChoicePart, ReplyLogprob, TokenLogprob, ReplyChoice, Usage } from "../../core/chat/reply.js";
import type { ReplyHead } from "../dialect.js";

export function chatCompletion(
  { id, created, model }: ReplyHead,
  { topLogprobs, serviceTier }: ChatRequest,
  choices: readonly ReplyChoice[],
  tokens: Usage,
): object {
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: choices.map((choice, index) => ({
      index,
      message: wireMessage(choice),
      logprobs: topLogprobs === undefined ? null : wireLogprobs(logprobsOf(choice)),
      finish_reason: choice.finishReason,
    })),
    usage: wireUsage(tokens),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
}

/** This API has one text and one list of calls, whatever their order was. */
function wireMessage({ parts }: ReplyChoice): object {
  const [text, reasoning] = [joined(parts, "text"), joined(parts, "reasoning")];
  const calls = parts.filter((part) => part.type === "call");
  return {
    role: "assistant",
    // Null for a reply that is nothing but calls.
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  };
}

export const joined = (parts: readonly ChoicePart[], type: "text" | "reasoning"): string =>
  parts.map((part) => (part.type === type ? part.text : "")).join("");

export const logprobsOf = ({ parts }: ReplyChoice): ReplyLogprob[] =>
  parts.flatMap((part) => (part.type === "text" ? part.logprobs : []));

export const wireCall = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: "function" as const,
  function: { name, arguments: text },
});

export const wireUsage = ({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});

export const wireLogprobs = (logprobs: readonly ReplyLogprob[] | null) =>
  logprobs === null ? null : { content: logprobs.map(wireLogprob), refusal: null };

export const wireLogprob = (entry: ReplyLogprob) => ({
  ...wireToken(entry),
  top_logprobs: entry.top.map(wireToken),
});

const wireToken = ({ token, logprob, bytes }: TokenLogprob) => ({ token, logprob, bytes });

export type WireUsage = ReturnType<typeof wireUsage>;
export type WireLogprob = ReturnType<typeof wireLogprob>;
