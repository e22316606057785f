import type { ChatRequest, Sampling } from "../../../src/core/chat/request.js";

/** Of a request that chose nothing. */
export const usualSampling: Sampling = {
  temperature: 1,
  topP: 1,
  topPGiven: false,
  frequencyPenalty: 0,
  presencePenalty: 0,
  seed: undefined,
  logitBias: [],
};

/** A parsed request as a client sends it that chose nothing but this. */
export const chatRequest = (content: string, changes: Partial<ChatRequest> = {}): ChatRequest => ({
  model: "omega",
  messages: [{ role: "user", content }],
  sampling: usualSampling,
  stop: [],
  maxTokens: undefined,
  choices: 1,
  topLogprobs: undefined,
  format: { type: "text" },
  tooling: undefined,
  reasoningEffort: undefined,
  stream: false,
  includeUsage: false,
  ...changes,
});
