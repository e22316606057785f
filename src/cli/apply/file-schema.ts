/** The shape of the file, as JSON Schema: for editors, and for what a misspelled field may have meant. */
import * as z from "zod";
import { editDistance } from "../../config.js";
import { modelIds } from "../../core/models.js";
import { oneModel } from "../../protocol/dashboard/api.js";
import { embeddedSchema, engineBounds, upstreamSchema } from "../../protocol/engine-member.js";
import { operatorEntry } from "./sections/operator.js";
import { planEntry } from "./sections/plans.js";
import { providerEntry } from "./sections/providers.js";
import { secondFactorEntry } from "./sections/second-factor.js";
import { secretField } from "./sections/secret.js";
import { teamEntry, writtenMember } from "./sections/teams.js";
import { webhookEntry } from "./sections/webhooks.js";

const { min, max } = engineBounds.contextTokens;

const model = z.union([
  z.enum(["default", "off"]),
  z.strictObject({
    weights: z.string(),
    contextTokens: z.int().min(min).max(max).optional(),
    draft: z.string().optional(),
  }),
  z.strictObject({
    engines: z.array(z.union([embeddedSchema, upstreamSchema.extend({ key: secretField.optional() })])),
  }),
]);

const team = teamEntry.extend({ members: z.record(z.string(), writtenMember) });

const file = z.strictObject({
  operator: operatorEntry.partial().optional(),
  secondFactor: secondFactorEntry.partial().optional(),
  plans: z.record(z.string(), planEntry.partial()).optional(),
  aliases: z.record(z.string(), oneModel).optional(),
  models: z.partialRecord(z.enum(modelIds), model).optional(),
  providers: z.record(z.string(), providerEntry.partial()).optional(),
  teams: z.record(z.string(), team.partial()).optional(),
  webhooks: z.record(z.string(), webhookEntry.partial()).optional(),
});

const reference = {
  description: "A reference to the secret, never the secret itself.",
  oneOf: ["env", "file"].map((name) => ({
    type: "object",
    properties: { [name]: { type: "string" } },
    required: [name],
    additionalProperties: false,
  })),
};

export const fileSchema = (): object =>
  z.toJSONSchema(file, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === secretField) Object.assign(jsonSchema, reference);
    },
  });

/** Such as `; did you mean planId?`, and nothing where no field is like it. */
export function suggestion(name: string): string {
  const near = [...fieldNames(fileSchema())].find((known) => editDistance(plain(name), plain(known)) <= 2);
  return near === undefined ? "." : `; did you mean ${near}?`;
}

/** `plan_id` is like `planId`. */
const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

function fieldNames(schema: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("properties" in value && typeof value.properties === "object" && value.properties !== null)
      for (const name of Object.keys(value.properties)) names.add(name);
    for (const part of Object.values(value)) visit(part);
  };
  visit(schema);
  return names;
}
