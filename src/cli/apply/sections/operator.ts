/** Who runs the service, as every page says it. */
import * as z from "zod";
import { Operator } from "../../../core/operator.js";
import { operatorBody } from "../../../protocol/dashboard/api.js";
import type { Section, SectionParts } from "./section.js";
import { singleSection } from "./single.js";

export const operatorEntry = z.strictObject({
  name: operatorBody.shape.name.nullable(),
  contact: operatorBody.shape.contact.nullable(),
});

export function operatorSection({ store, audit, actor, config }: SectionParts): Section {
  const operator = new Operator(store, config.service.ownerName);
  const read = async () => {
    const { name, contact } = await operator.read();
    return { name, contact };
  };
  return singleSection({
    ...{ name: "operator", kind: "operator" },
    schema: operatorEntry.refine(
      ({ name }) => config.service.ownerName === undefined || name === config.service.ownerName,
      { error: "The name is set by the configuration: SOTTO_OWNER_NAME.", path: ["name"] },
    ),
    read,
    save: (entry) => operator.save(audit, actor, entry),
    shown: async () => {
      const { name, contact, isNameConfigured } = await operator.read();
      if (isNameConfigured) return contact === null ? undefined : { contact };
      return name === null && contact === null ? undefined : { name, contact };
    },
  });
}
