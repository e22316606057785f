/** The wire shapes of a reply: whole, and as the chunks of a stream. */
import type { FinishReason, ReplyLogprob, TokenLogprob } from "./chat.js";

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
}

/** One choice, whole. */
export interface ReplyChoice {
  text: string;
  finishReason: FinishReason;
  /** Null where they were not asked for. */
  logprobs: readonly ReplyLogprob[] | null;
}

interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
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
    message: { role: "assistant"; content: string; refusal: null };
    logprobs: WireLogprobs | null;
    finish_reason: FinishReason;
  }[];
  usage: WireUsage;
}

interface ChunkChoice {
  index: number;
  delta: { role?: "assistant"; content?: string };
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
    choices: choices.map(({ text, finishReason, logprobs }, index) => ({
      index,
      message: { role: "assistant", content: text, refusal: null },
      logprobs: wireLogprobs(logprobs),
      finish_reason: finishReason,
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
  return {
    /** The first of each choice carries the role: the official SDK's `.stream()` helper throws without it. */
    text: (index: number, content: string, logprobs: readonly ReplyLogprob[] | null = null) => {
      const delta = begun.has(index) ? { content } : { role: "assistant" as const, content };
      begun.add(index);
      return chunk([{ index, delta, logprobs: wireLogprobs(logprobs), finish_reason: null }]);
    },
    hasBegun: (index: number) => begun.has(index),
    finish: (index: number, reason: FinishReason) =>
      chunk([{ index, delta: {}, logprobs: null, finish_reason: reason }]),
    usage: (tokens: TokenCounts): ChatCompletionChunk => ({ ...chunk([]), usage: wireUsage(tokens) }),
  };
}

const wireUsage = ({ promptTokens, completionTokens, cachedTokens }: TokenCounts): WireUsage => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
});

const wireLogprobs = (logprobs: readonly ReplyLogprob[] | null): WireLogprobs | null =>
  logprobs === null
    ? null
    : {
        content: logprobs.map((entry) => ({ ...wireToken(entry), top_logprobs: entry.top.map(wireToken) })),
        refusal: null,
      };

const wireToken = ({ token, logprob, bytes }: TokenLogprob): WireToken => ({ token, logprob, bytes });
