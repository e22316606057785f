/** A plan as typed, and the request made from it. */
import { planWeight } from "../../../../src/core/bounds.js";
import type { PlanView, QuotasView } from "../../../../src/protocol/dashboard/api.js";
import type { ModelId } from "../../../../src/core/models.js";

type RequiredField = "requestsPerMinute" | "tokensPerMinute" | "concurrentRequests" | "maxKeys" | "weight";
type OptionalField = keyof QuotasView | "maxTokens";

/** The numeric fields; empty means no limit where that is allowed. */
export type NumberField = RequiredField | OptionalField;

export interface PlanDraft extends Record<NumberField, string> {
  id: string;
  name: string;
  models: ModelId[] | null;
  requiresEncryption: boolean;
}

export function draftOf(plan: PlanView | null): PlanDraft {
  return {
    id: plan?.id ?? "",
    name: plan?.name ?? "",
    requestsPerMinute: String(plan?.requestsPerMinute ?? 60),
    tokensPerMinute: String(plan?.tokensPerMinute ?? 60_000),
    concurrentRequests: String(plan?.concurrentRequests ?? 4),
    maxKeys: String(plan?.maxKeys ?? 10),
    maxTokens: typed(plan?.maxTokens),
    weight: String(plan?.weight ?? planWeight.usual),
    requestsPerDay: typed(plan?.requestsPerDay),
    tokensPerDay: typed(plan?.tokensPerDay),
    requestsPerMonth: typed(plan?.requestsPerMonth),
    tokensPerMonth: typed(plan?.tokensPerMonth),
    models: plan?.models ?? null,
    requiresEncryption: plan?.requiresEncryption ?? false,
  };
}

const typed = (limit: number | null | undefined): string => (limit == null ? "" : String(limit));

const orNone = (text: string): number | null => (text === "" ? null : Number(text));

export function bodyOf(draft: PlanDraft) {
  return {
    name: draft.name,
    requestsPerMinute: Number(draft.requestsPerMinute),
    tokensPerMinute: Number(draft.tokensPerMinute),
    concurrentRequests: Number(draft.concurrentRequests),
    maxKeys: Number(draft.maxKeys),
    maxTokens: orNone(draft.maxTokens),
    weight: Number(draft.weight),
    requestsPerDay: orNone(draft.requestsPerDay),
    tokensPerDay: orNone(draft.tokensPerDay),
    requestsPerMonth: orNone(draft.requestsPerMonth),
    tokensPerMonth: orNone(draft.tokensPerMonth),
    models: draft.models,
    requiresEncryption: draft.requiresEncryption,
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
    faults.id = "Use lowercase letters, digits and hyphens.";
  if (isNew && taken.includes(draft.id)) faults.id = "A plan with this id already exists.";
  for (const field of ["requestsPerMinute", "tokensPerMinute", "concurrentRequests", "maxKeys"] as const) {
    if (!isCount(draft[field])) faults[field] = "Enter a whole number, 1 or more.";
  }
  if (!isCount(draft.weight) || Number(draft.weight) > planWeight.max)
    faults.weight = `Enter a whole number from ${planWeight.min} to ${planWeight.max}.`;
  for (const field of optionalFields) {
    if (draft[field] !== "" && !isCount(draft[field]))
      faults[field] = "Enter a whole number, or leave it empty.";
  }
  return faults;
}

const optionalFields: readonly OptionalField[] = [
  "maxTokens",
  "requestsPerDay",
  "tokensPerDay",
  "requestsPerMonth",
  "tokensPerMonth",
];

function isCount(text: string): boolean {
  return /^[1-9]\d{0,12}$/.test(text);
}
