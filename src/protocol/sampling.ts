/** `temperature` and `top_p`, which every API has. */
import type { Sampling } from "../core/chat/request.js";
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
