/** `temperature` and `top_p`, which every API has. */
import type { Sampling } from "../core/chat/request.js";
import { decimal, optional, type JsonObject } from "./read-json.js";

/** With neutral values for what not every API has. */
export function readSampling(body: JsonObject, maxTemperature: number, parent = ""): Sampling {
  const temperature = optional(body, "temperature", decimal(0, maxTemperature), parent) ?? 1;
  const topP = optional(body, "top_p", decimal(0, 1), parent);
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
