/** The wire shapes of a reply: whole, and as the chunks of a stream. */
import type { FinishReason, ReplyLogprob, TokenLogprob, ToolCall } from "../chat.js";

/** What all parts of one reply share. */
export interface ReplyHead {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
}

export interface TokenCounts {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
}

/** One choice, whole. */
export interface ReplyChoice {
  text: string;
  /** Empty where there were none. */
  reasoning: string;
  calls: readonly ToolCall[];
  finishReason: FinishReason;
  /** Null where they were not asked for. */
  logprobs: readonly ReplyLogprob[] | null;
}

interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
  completion_tokens_details: { reasoning_tokens: number };
}

interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface WireToken {
  token: string;
  logprob: number;
  bytes: readonly number[];
}

interface WireLogprobs {
  content: (WireToken & { top_logprobs: WireToken[] })[];
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
}

interface Delta {
  role?: "assistant";
  content?: string | null;
  reasoning_content?: string;
  tool_calls?: [CallDelta];
}

/** Id, type and name come once, with the first delta of a call: some clients join what is repeated. */
type CallDelta = ({ index: number } & WireCall) | { index: number; function: { arguments: string } };

interface ChunkChoice {
  index: number;
  delta: Delta;
  logprobs: WireLogprobs | null;
  finish_reason: FinishReason | null;
}

export interface ChatCompletionChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  choices: [ChunkChoice] | [];
  /** Only where the client asked for it: null on every chunk but the last. */
  usage?: WireUsage | null;
}

export function chatCompletion(
  { id, created, model }: ReplyHead,
  choices: readonly ReplyChoice[],
  tokens: TokenCounts,
): ChatCompletion {
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: choices.map((choice, index) => ({
      index,
      message: wireMessage(choice),
      logprobs: wireLogprobs(choice.logprobs),
      finish_reason: choice.finishReason,
    })),
    usage: wireUsage(tokens),
  };
}

/** Makes the chunks of one stream. */
export function chunkMaker({ id, created, model }: ReplyHead, includeUsage: boolean) {
  const chunk = (choices: ChatCompletionChunk["choices"]): ChatCompletionChunk => ({
    id,
    object: "chat.completion.chunk",
    created,
    model,
    choices,
    ...(includeUsage ? { usage: null } : {}),
  });
  const begun = new Set<number>();
  const calls = new Map<number, number>();
  /** The first of each choice carries the role: the official SDK's `.stream()` helper throws without it. */
  const part = (index: number, delta: Delta, logprobs: readonly ReplyLogprob[] | null = null) => {
    const isFirst = !begun.has(index);
    begun.add(index);
    const whole: Delta = isFirst ? { role: "assistant", ...delta } : delta;
    return chunk([{ index, delta: whole, logprobs: wireLogprobs(logprobs), finish_reason: null }]);
  };
  return {
    text: (index: number, content: string, logprobs?: readonly ReplyLogprob[]) =>
      part(index, { content }, logprobs),
    reasoning: (index: number, text: string) => part(index, { reasoning_content: text }),
    call: (index: number, id: string, name: string) => {
      const number = calls.get(index) ?? 0;
      calls.set(index, number + 1);
      const call: CallDelta = { index: number, id, type: "function", function: { name, arguments: "" } };
      return part(index, begun.has(index) ? { tool_calls: [call] } : { content: null, tool_calls: [call] });
    },
    arguments: (index: number, text: string) =>
      part(index, { tool_calls: [{ index: (calls.get(index) ?? 1) - 1, function: { arguments: text } }] }),
    hasBegun: (index: number) => begun.has(index),
    finish: (index: number, reason: FinishReason) =>
      chunk([{ index, delta: {}, logprobs: null, finish_reason: reason }]),
    usage: (tokens: TokenCounts): ChatCompletionChunk => ({ ...chunk([]), usage: wireUsage(tokens) }),
  };
}

function wireMessage({ text, reasoning, calls }: ReplyChoice): ChatCompletion["choices"][number]["message"] {
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  };
}

const wireCall = ({ id, name, arguments: text }: ToolCall): WireCall => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const wireUsage = ({
  promptTokens,
  completionTokens,
  cachedTokens,
  reasoningTokens,
}: TokenCounts): WireUsage => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});

const wireLogprobs = (logprobs: readonly ReplyLogprob[] | null): WireLogprobs | null =>
  logprobs === null
    ? null
    : {
        content: logprobs.map((entry) => ({ ...wireToken(entry), top_logprobs: entry.top.map(wireToken) })),
        refusal: null,
      };

const wireToken = ({ token, logprob, bytes }: TokenLogprob): WireToken => ({ token, logprob, bytes });
