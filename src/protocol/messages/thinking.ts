/**
 * `thinking` and `output_config.effort`: whether the model thinks before it replies, and for how long. As in that API,
 * it does not unless the request asks for it: clients that do not ask take the first block of a reply for its text.
 */
import type { ChatRequest, ReasoningEffort } from "../chat.js";
import { ServiceError } from "../errors.js";
import { integer, object, optional, required, string, type JsonObject, type Reader } from "../read-json.js";

/** An effort that is undefined leaves it to the model. */
export function readEffort(
  body: JsonObject,
): Required<Pick<ChatRequest, "reasoningEffort" | "isEffortImplied">> {
  const config = optional(body, "output_config", object) ?? {};
  const effort = optional(config, "effort", effortName, "output_config");
  const thinking = optional(body, "thinking", thought);
  const isEffortImplied = thinking === undefined;
  if (isEffortImplied || thinking === "none") return { reasoningEffort: "none", isEffortImplied };
  const reasoningEffort = thinking === "adaptive" ? effort : (effort ?? thinking);
  return { reasoningEffort, isEffortImplied };
}

const thought: Reader<ReasoningEffort | "adaptive"> = (value, path) => {
  const fields = object(value, path);
  switch (required(fields, "type", string, path)) {
    case "disabled":
      return "none";
    case "adaptive":
    case "between_tools":
      return "adaptive";
    case "enabled":
      return effortFor(required(fields, "budget_tokens", budget, path));
    default:
      throw new ServiceError("invalid_value", {
        message: `Invalid value for '${path}.type': expected one of 'enabled', 'disabled', 'adaptive' and 'between_tools'.`,
        param: `${path}.type`,
      });
  }
};

const budget = integer(1, 2 ** 31 - 1);

/** Models know steps, not numbers of tokens. */
function effortFor(budgetTokens: number): ReasoningEffort {
  if (budgetTokens <= 4_096) return "low";
  return budgetTokens <= 16_384 ? "medium" : "high";
}

const effortName: Reader<ReasoningEffort> = (value, path) => {
  switch (string(value, path)) {
    case "low":
      return "low";
    case "medium":
      return "medium";
    case "high":
    case "xhigh":
    case "max":
      return "high";
    default:
      throw new ServiceError("invalid_value", {
        message: `Invalid value for '${path}': expected one of 'low', 'medium', 'high', 'xhigh' and 'max'.`,
        param: path,
      });
  }
};
