import * as z from "zod";
import { defaultPlanId } from "../../../core/accounts/accounts.js";
import { deletePlan, savePlan } from "../../../core/accounts/plans.js";
import { planBody } from "../../../protocol/dashboard/api.js";
import { keyedSection } from "./keyed.js";
import type { Section, SectionParts } from "./section.js";

export const planEntry = z.strictObject(planBody.shape);

export const plansSection = ({ store, audit, actor }: SectionParts): Section =>
  keyedSection({
    name: "plans",
    kind: "plan",
    schema: planEntry,
    read: async () =>
      new Map(
        (await store.listPlans()).map(({ id, ...plan }) => [
          id,
          { ...plan, models: plan.models && [...plan.models] },
        ]),
      ),
    fresh: () => ({ maxTokens: null, models: null }),
    save: async (id, plan) => {
      await savePlan(store, { id, ...plan });
      await audit.record(actor, "saved plan", id);
    },
    remove: async (id) => {
      await deletePlan(store, id);
      await audit.record(actor, "deleted plan", id);
    },
    // New accounts start on it.
    isPruned: (id) => id !== defaultPlanId,
  });
