/** The wire shapes of a whole reply, and those that it shares with the chunks of a stream. */
import type { ChatRequest, ServiceTier, ToolCall } from "../../core/chat/request.js";
import type { FinishReason, ReplyLogprob, TokenLogprob, ReplyChoice, Usage } from "../../core/chat/reply.js";
import type { ReplyHead } from "../dialect.js";

export interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
  completion_tokens_details: { reasoning_tokens: number };
}

export interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface WireToken {
  token: string;
  logprob: number;
  bytes: readonly number[];
}

export interface WireLogprob extends WireToken {
  top_logprobs: WireToken[];
}

export interface WireLogprobs {
  content: WireLogprob[];
  refusal: null;
}

export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: {
    index: number;
    message: {
      role: "assistant";
      /** Null for a reply that is nothing but calls. */
      content: string | null;
      refusal: null;
      reasoning_content?: string;
      tool_calls?: WireCall[];
    };
    logprobs: WireLogprobs | null;
    finish_reason: FinishReason;
  }[];
  usage: WireUsage;
  /** Only where the client asked for one. */
  service_tier?: ServiceTier;
}

export function chatCompletion(
  { id, created, model }: ReplyHead,
  { topLogprobs, serviceTier }: ChatRequest,
  choices: readonly ReplyChoice[],
  tokens: Usage,
): ChatCompletion {
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
function wireMessage({ parts }: ReplyChoice): ChatCompletion["choices"][number]["message"] {
  const joined = (type: "text" | "reasoning") =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const [text, reasoning] = [joined("text"), joined("reasoning")];
  const calls = parts.filter((part) => part.type === "call");
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  };
}

const logprobsOf = ({ parts }: ReplyChoice): ReplyLogprob[] =>
  parts.flatMap((part) => (part.type === "text" ? part.logprobs : []));

const wireCall = ({ id, name, arguments: text }: ToolCall): WireCall => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

export const wireUsage = ({
  promptTokens,
  completionTokens,
  cachedTokens,
  reasoningTokens,
}: Usage): WireUsage => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});

export const wireLogprobs = (logprobs: readonly ReplyLogprob[] | null): WireLogprobs | null =>
  logprobs === null ? null : { content: logprobs.map(wireLogprob), refusal: null };

export const wireLogprob = (entry: ReplyLogprob): WireLogprob => ({
  ...wireToken(entry),
  top_logprobs: entry.top.map(wireToken),
});

const wireToken = ({ token, logprob, bytes }: TokenLogprob): WireToken => ({ token, logprob, bytes });
