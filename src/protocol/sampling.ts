/** `temperature` and `top_p`, which every API has, and a request that says nothing about its reply. */
import type { ChatRequest, Sampling } from "../core/chat/request.js";
import type { JsonObject } from "./read-json.js";
import * as json from "./read-json.js";

/** With neutral values for what not every API has. */
export function readSampling(body: JsonObject, maxTemperature: number, parent = ""): Sampling {
  const temperature = json.optional(body, "temperature", json.decimal(0, maxTemperature), parent) ?? 1;
  const topP = json.optional(body, "top_p", json.decimal(0, 1), parent);
  return {
    temperature,
    topP: topP ?? 1,
    topPGiven: topP !== undefined,
    frequencyPenalty: 0,
    presencePenalty: 0,
    seed: undefined,
    logitBias: [],
  };
}

/** For what not every API has. */
export const neutralRequest: Omit<ChatRequest, "model" | "messages" | "sampling"> = {
  stop: [],
  maxTokens: undefined,
  choices: 1,
  topLogprobs: undefined,
  format: { type: "text" },
  tooling: undefined,
  reasoningEffort: undefined,
  stream: false,
  includeUsage: false,
};
