/**
 * A chat request as the rest of the program sees it: parsed, defaulted, free of OpenAI's variants.
 * `parseChatRequest` in chat-request.ts makes one from a JSON body.
 */

export type ChatRole = "system" | "user" | "assistant";

export interface ChatMessage {
  role: ChatRole;
  content: string;
}

export interface Sampling {
  temperature: number;
  topP: number;
  /** Whether the client chose `top_p` itself: model defaults that trim the tail step aside then. */
  topPGiven: boolean;
  frequencyPenalty: number;
  presencePenalty: number;
  seed: number | undefined;
  /** Added to the logits of these tokens of the model. */
  logitBias: readonly (readonly [token: number, bias: number])[];
}

/**
 * What the reply must be. A `json_schema` is as the client sent it: whether it can be followed is the engine's to say.
 * `strict`: what cannot be enforced is refused rather than ignored.
 */
export type ReplyFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; name: string; schema: Readonly<Record<string, unknown>>; strict?: boolean };

export interface ChatRequest {
  /** As sent; whether such a model exists is judged later, in the contract's order of errors. */
  model: string;
  messages: ChatMessage[];
  sampling: Sampling;
  stop: string[];
  /** For each choice. */
  maxTokens: number | undefined;
  /** How many replies to the same prompt. */
  choices: number;
  /** How many alternatives to name beside each token of the reply; undefined: no log probabilities at all. */
  topLogprobs: number | undefined;
  format: ReplyFormat;
  stream: boolean;
  includeUsage: boolean;
}

export type FinishReason = "stop" | "length";

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
