/** The maximum length of a reply if the request does not set one. */
import type { PlanView, Site } from "../src/protocol/dashboard/api.js";
import { chatModelIds, type ChatModelId } from "../src/core/models.js";
import { formatCount } from "./units.ts";

export function defaultReplyTokens(site: Site, model: ChatModelId, plan: PlanView | null): number {
  return Math.min(site.defaultMaxTokens[model], plan?.maxTokens ?? Infinity);
}

/** "256 tokens", or where models differ "256 tokens (omega, prism) or 1,024 (lambda)". */
export function defaultReplyText(site: Site, plan: PlanView | null): string {
  const models = new Map<number, ChatModelId[]>();
  for (const model of chatModelIds) {
    const tokens = defaultReplyTokens(site, model, plan);
    models.set(tokens, [...(models.get(tokens) ?? []), model]);
  }
  const [[first] = [0]] = models;
  if (models.size === 1) return `${formatCount(first)} tokens`;
  return [...models]
    .map(([tokens, of], index) => `${formatCount(tokens)}${index === 0 ? " tokens" : ""} (${of.join(", ")})`)
    .join(" or ");
}
