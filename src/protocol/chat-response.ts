/** The wire shapes of a reply: whole, and as the chunks of a stream. */
import type { FinishReason } from "./chat.js";

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
}

interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: [
    {
      index: 0;
      message: { role: "assistant"; content: string; refusal: null };
      logprobs: null;
      finish_reason: FinishReason;
    },
  ];
  usage: WireUsage;
}

interface ChunkChoice {
  index: 0;
  delta: { role?: "assistant"; content?: string };
  logprobs: null;
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
  content: string,
  finishReason: FinishReason,
  tokens: TokenCounts,
): ChatCompletion {
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, refusal: null },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
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
  const choice = (delta: ChunkChoice["delta"], finishReason: FinishReason | null): ChunkChoice => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: finishReason,
  });
  return {
    /** The official SDK's `.stream()` helper throws when no delta carries a role. */
    first: (content: string) => chunk([choice({ role: "assistant", content }, null)]),
    text: (content: string) => chunk([choice({ content }, null)]),
    finish: (reason: FinishReason) => chunk([choice({}, reason)]),
    usage: (tokens: TokenCounts): ChatCompletionChunk => ({ ...chunk([]), usage: wireUsage(tokens) }),
  };
}

const wireUsage = ({ promptTokens, completionTokens }: TokenCounts): WireUsage => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
