/** Identity providers, without those of the configuration. */
import * as z from "zod";
import { Providers } from "../../../core/single-sign-on/providers.js";
import { providerBody, providerId } from "../../../protocol/identity-provider.js";
import { keyedSection } from "./keyed.js";
import { keptSecret, Secret, secretField } from "./secret.js";
import { EntryError, type Section, type SectionParts } from "./section.js";

export const providerEntry = z.strictObject({ ...providerBody.shape, clientSecret: secretField.nullable() });

export function providersSection({ store, audit, actor, config, sealed }: SectionParts): Section {
  const providers = new Providers(config.accounts.oidcProviders, sealed, audit, (error) => {
    throw error;
  });
  return keyedSection({
    name: "providers",
    kind: "identity provider",
    schema: providerEntry,
    read: async () => {
      const listed = (await providers.list()).filter(({ isConfigured }) => !isConfigured);
      return new Map(
        listed.map(({ provider: { id, clientSecret, domains, groups, ...provider } }) => [
          id,
          {
            ...provider,
            ...{ domains: [...domains], groups: [...groups] },
            clientSecret: clientSecret === null ? null : new Secret(clientSecret),
          },
        ]),
      );
    },
    fresh: () => ({ clientSecret: null }),
    merge: (before, given, id, reading) => ({
      ...given,
      ...("clientSecret" in given && {
        clientSecret: keptSecret(
          given.clientSecret,
          before?.clientSecret,
          ["providers", id, "clientSecret"],
          reading,
        ),
      }),
    }),
    save: async (id, { clientSecret, ...provider }) => {
      const { error } = providerId.safeParse(id);
      if (error !== undefined) throw new EntryError(error.issues[0]?.message ?? "This is not an id.", []);
      for (const [at, { planId }] of provider.groups.entries()) {
        if (planId !== null && (await store.findPlan(planId)) === null)
          throw new EntryError("There is no such plan.", ["groups", at, "planId"]);
      }
      await providers.save(actor, { id, ...provider, clientSecret: clientSecret?.value ?? null });
    },
    remove: (id) => providers.remove(actor, id),
    // One without a secret says so by leaving it out.
    shown: (_, { clientSecret, ...provider }) =>
      clientSecret === null ? provider : { ...provider, clientSecret },
  });
}
