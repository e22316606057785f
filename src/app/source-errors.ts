/** What the operator is told when the source of a model cannot be used. */
import type { ModelId } from "../core/models.js";
import type { Reasons } from "../engines/fleet.js";
import type { DesiredSource } from "../models/choice/mapping.js";
import { isStarter } from "../models/choice/source.js";

/** With the setting or command to change. The starter's own errors say what to do, and nobody chose it. */
export const sourceError = (model: ModelId, desired: DesiredSource, { message }: Error): string =>
  wantsStarter(desired) ? message : `${originOf(model, desired)}: ${message}`;

/** Each once, though models share them; with advice where an operator's choice is the cause. */
export function joinReasons(reasons: Reasons, isChosen: boolean): string {
  const different = [...new Set(reasons.values())];
  const advice = "Give it a GGUF file, a server, or 'starter' for the weights that come with Sotto.";
  return [...different, ...(isChosen ? [advice] : [])].join("\n");
}

export const wantsStarter = (desired: DesiredSource | undefined): boolean =>
  desired?.type === "source" && isStarter(desired.source);

function originOf(model: ModelId, desired: DesiredSource): string {
  if (desired.type !== "source" || desired.from !== "configuration") return `sotto models use ${model}`;
  const setting = desired.source.type === "upstreams" ? "UPSTREAMS" : "WEIGHTS";
  return `SOTTO_MODELS_${model.toUpperCase()}_${setting}`;
}
