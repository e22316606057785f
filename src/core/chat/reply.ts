/** A reply as every engine writes it and every API reads it. */
import type { ToolCall } from "./request.js";

export interface Usage {
  promptTokens: number;
  /** Of all choices together. */
  completionTokens: number;
  /** Prompt tokens that were not computed again. */
  cachedTokens: number;
  /** Of the completion tokens, those of reasoning. */
  reasoningTokens: number;
}

/** An event of a reply, in the order in which they become known. */
export type ReplyEvent =
  /** `logprobs` has the tokens that became known with this text, where they were asked for. */
  | { type: "text"; choice: number; text: string; logprobs?: readonly ReplyLogprob[] }
  /** Reasoning; never after the text or the calls that it led to. */
  | { type: "reasoning"; choice: number; text: string }
  /** A call begins, with an id of its own. `call` is its number: calls of a choice are counted from 0. */
  | { type: "call"; choice: number; call: number; id: string; name: string }
  /** More of the JSON text of a call's arguments. All of it comes before anything else of the choice. */
  | { type: "arguments"; choice: number; call: number; text: string }
  /** `stopSequence` is the one that ended the reply, where the engine reports it. */
  | { type: "finished"; choice: number; finishReason: FinishReason; stopSequence?: string }
  | { type: "done"; usage: Usage };

/** The result of a task, in the order of its inputs or documents. It comes whole, never in a stream. */
export type TaskEvent =
  | { type: "vectors"; choice: number; vectors: readonly Float32Array[] }
  | { type: "scores"; choice: number; scores: readonly number[] };

/** As much of one kind as came in a row. */
export type ChoicePart =
  | { type: "text"; text: string; logprobs: ReplyLogprob[] }
  | { type: "reasoning"; text: string }
  | ({ type: "call" } & ToolCall);

/** One choice, whole. */
export interface ReplyChoice {
  /** In the order in which they came. */
  parts: readonly ChoicePart[];
  finishReason: FinishReason;
  stopSequence?: string;
  /** Of a task. */
  vectors?: readonly Float32Array[];
  scores?: readonly number[];
}

export type FinishReason = "stop" | "length" | "tool_calls";

/** A token with the logarithm of its probability before temperature and the other parameters shaped it. */
export interface TokenLogprob {
  /** As text; a token that is part of a character has the replacement character, and its bytes are exact. */
  token: string;
  bytes: readonly number[];
  logprob: number;
}

/** A token of a reply, with the likeliest tokens that might have stood in its place, itself included. */
export interface ReplyLogprob extends TokenLogprob {
  top: readonly TokenLogprob[];
}

/** An item of a reply as a later request could send it. */
export interface KeptItem {
  id: string;
}
