/** Who must have a second factor. */
import * as z from "zod";
import { FactorRequirement } from "../../../core/factors/requirement.js";
import { requirementBody } from "../../../protocol/dashboard/factors.js";
import type { Section, SectionParts } from "./section.js";
import { singleSection } from "./single.js";

export const secondFactorEntry = z.strictObject(requirementBody.shape);

export function secondFactorSection({ store, audit, actor, clock, config }: SectionParts): Section {
  const { secondFactor, secondFactorGraceDays } = config.accounts;
  const requirement = new FactorRequirement(store, clock, {
    requiredFor: secondFactor,
    graceDays: secondFactorGraceDays,
  });
  const read = async () => {
    const { requiredFor, graceDays } = await requirement.read();
    return { requiredFor, graceDays };
  };
  return singleSection({
    ...{ name: "secondFactor", kind: "required second factor" },
    schema: secondFactorEntry,
    read,
    save: (entry) => requirement.save(audit, actor, entry),
    shown: async () => (secondFactor === undefined ? read() : undefined),
  });
}
