/** The names of reasoning efforts that clients send, as the steps that models have. */
import type { ReasoningEffort } from "../core/chat/request.js";
import { mapped } from "./read-json.js";

const someEffort: Record<string, ReasoningEffort> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Where reasoning is switched on elsewhere. */
export const effortWhenOn = mapped(someEffort);

export const effort = mapped<ReasoningEffort>({ none: "none", minimal: "none", ...someEffort });
