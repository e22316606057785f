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
}

export interface ChatRequest {
  /** As sent; whether such a model exists is judged later, in the contract's order of faults. */
  model: string;
  messages: ChatMessage[];
  sampling: Sampling;
  stop: string[];
  maxTokens: number | undefined;
  stream: boolean;
  includeUsage: boolean;
}

export type FinishReason = "stop" | "length";
