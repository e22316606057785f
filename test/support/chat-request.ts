import type { ChatRequest } from "../../src/protocol/chat.js";

/** A parsed request as a client sends it that chose nothing but this. */
export const chatRequest = (content: string, changes: Partial<ChatRequest> = {}): ChatRequest => ({
  model: "omega",
  messages: [{ role: "user", content }],
  sampling: {
    temperature: 1,
    topP: 1,
    topPGiven: false,
    frequencyPenalty: 0,
    presencePenalty: 0,
    seed: undefined,
    logitBias: [],
  },
  stop: [],
  maxTokens: undefined,
  choices: 1,
  topLogprobs: undefined,
  format: { type: "text" },
  stream: false,
  includeUsage: false,
  ...changes,
});
