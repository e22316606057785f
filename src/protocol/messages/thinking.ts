/**
 * `thinking` and `output_config.effort`: whether the model thinks before it replies, and for how long. As in that API,
 * it does not unless the request asks for it: clients that do not ask take the first block of a reply for its text.
 */
import type { ChatRequest, ReasoningEffort } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { effortWhenOn } from "../reasoning-effort.js";

/** An effort that is undefined leaves it to the model. */
export function readEffort(
  body: JsonObject,
): Required<Pick<ChatRequest, "reasoningEffort" | "isEffortImplied">> {
  const config = json.optional(body, "output_config", json.object) ?? {};
  const effort = json.optional(config, "effort", effortWhenOn, "output_config");
  const thinking = json.optional(body, "thinking", effortOfThinking);
  const isEffortImplied = thinking === undefined;
  if (isEffortImplied || thinking === "none") return { reasoningEffort: "none", isEffortImplied };
  const reasoningEffort = thinking === "adaptive" ? effort : (effort ?? thinking);
  return { reasoningEffort, isEffortImplied };
}

const effortOfThinking: Reader<ReasoningEffort | "adaptive"> = (value, path) => {
  const fields = json.object(value, path);
  switch (json.required(fields, "type", thinkingType, path)) {
    case "disabled":
      return "none";
    case "adaptive":
    case "between_tools":
      return "adaptive";
    case "enabled":
      return effortFor(json.required(fields, "budget_tokens", budget, path));
  }
};

const thinkingType = json.oneOf("enabled", "disabled", "adaptive", "between_tools");
const budget = json.integer(1, 2 ** 31 - 1);

/** Models know steps, not numbers of tokens. */
function effortFor(budgetTokens: number): ReasoningEffort {
  if (budgetTokens <= 4_096) return "low";
  return budgetTokens <= 16_384 ? "medium" : "high";
}
