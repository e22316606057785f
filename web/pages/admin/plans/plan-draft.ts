/** A plan as typed, and the request made from it. */
import type { PlanView } from "../../../../src/protocol/dashboard-api.js";
import type { ModelId } from "../../../../src/protocol/models.js";

/** What is typed as a number; empty `maxTokens` stands for no limit. */
export type NumberField =
  "requestsPerMinute" | "tokensPerMinute" | "concurrentRequests" | "maxKeys" | "maxTokens";

export interface PlanDraft extends Record<NumberField, string> {
  id: string;
  name: string;
  models: ModelId[] | null;
}

export function draftOf(plan: PlanView | null): PlanDraft {
  return {
    id: plan?.id ?? "",
    name: plan?.name ?? "",
    requestsPerMinute: String(plan?.requestsPerMinute ?? 60),
    tokensPerMinute: String(plan?.tokensPerMinute ?? 60_000),
    concurrentRequests: String(plan?.concurrentRequests ?? 4),
    maxKeys: String(plan?.maxKeys ?? 10),
    maxTokens: plan?.maxTokens == null ? "" : String(plan.maxTokens),
    models: plan?.models ?? null,
  };
}

export function bodyOf(draft: PlanDraft) {
  return {
    name: draft.name,
    requestsPerMinute: Number(draft.requestsPerMinute),
    tokensPerMinute: Number(draft.tokensPerMinute),
    concurrentRequests: Number(draft.concurrentRequests),
    maxKeys: Number(draft.maxKeys),
    maxTokens: draft.maxTokens === "" ? null : Number(draft.maxTokens),
    models: draft.models,
  };
}

/** "Team, large" → "team-large". */
export function idFrom(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 64);
}

type Faults = Partial<Record<NumberField | "id" | "name", string>>;

/** Errors that can be found without asking the service. */
export function errorsOf(draft: PlanDraft, isNew: boolean, taken: readonly string[]): Faults {
  const faults: Faults = {};
  if (draft.name.trim() === "") faults.name = "Enter a name.";
  if (isNew && !/^[a-z0-9][a-z0-9-]{0,63}$/.test(draft.id))
    faults.id = "Use lower-case letters, digits and hyphens.";
  if (isNew && taken.includes(draft.id)) faults.id = "A plan with this id already exists.";
  for (const field of ["requestsPerMinute", "tokensPerMinute", "concurrentRequests", "maxKeys"] as const) {
    if (!isCount(draft[field])) faults[field] = "Enter a whole number, 1 or more.";
  }
  if (draft.maxTokens !== "" && !isCount(draft.maxTokens))
    faults.maxTokens = "Enter a whole number, or leave it empty.";
  return faults;
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text);
}
