/** The names of reasoning efforts that clients send, as the steps that models have. */
import type { ReasoningEffort } from "../core/chat/request.js";
import * as json from "./read-json.js";

const someEffort: Record<string, ReasoningEffort> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Where reasoning is switched on elsewhere. */
export const effortWhenOn = json.mapped(someEffort);

export const effort = json.mapped<ReasoningEffort>({ none: "none", minimal: "none", ...someEffort });
