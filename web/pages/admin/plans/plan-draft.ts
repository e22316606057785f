/** A plan as typed, and the request made from it. */
import { planWeight } from "../../../../src/core/bounds.js";
import type { PlanView } from "../../../../src/protocol/dashboard/api.js";
import type { ModelId } from "../../../../src/core/models.js";
import { byName, quotaNames } from "../../app/keys/limit-fields.tsx";

export type CountedPlan = PlanView & { accounts: number };

const usual = {
  ...{ requestsPerMinute: 60, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 10 },
  weight: planWeight.usual,
};
const requiredFields = [
  "requestsPerMinute",
  "tokensPerMinute",
  "concurrentRequests",
  "maxKeys",
  "weight",
] as const;
/** Empty for no limit. */
const optionalFields = ["maxTokens", ...quotaNames] as const;

export type NumberField = (typeof requiredFields | typeof optionalFields)[number];

export interface PlanDraft extends Record<NumberField, string> {
  id: string;
  name: string;
  models: ModelId[] | null;
  requiresEncryption: boolean;
}

export const draftOf = (plan: PlanView | null): PlanDraft => ({
  id: plan?.id ?? "",
  name: plan?.name ?? "",
  ...byName(requiredFields, (field) => String((plan ?? usual)[field])),
  ...byName(optionalFields, (field) => String(plan?.[field] ?? "")),
  models: plan?.models ?? null,
  requiresEncryption: plan?.requiresEncryption ?? false,
});

export const bodyOf = ({ name, models, requiresEncryption, ...typed }: PlanDraft) => ({
  name,
  ...byName(requiredFields, (field) => Number(typed[field])),
  ...byName(optionalFields, (field) => (typed[field] === "" ? null : Number(typed[field]))),
  models,
  requiresEncryption,
});

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
  for (const field of requiredFields) {
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

function isCount(text: string): boolean {
  return /^[1-9]\d{0,12}$/.test(text);
}
