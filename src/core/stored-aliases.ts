/**
 * The aliases that count: those of the configuration; where it has none, those that were applied from a file; otherwise the
 * default. Below `model.`, so that running servers learn of a change as they do for a model's source.
 */
import type { Actor, Audit } from "./audit.js";
import { defaultAliases, type ModelAlias, readAliases } from "./model-aliases.js";
import type { Store } from "./store.js";

const setting = "model.aliases";

/** The default itself stands for nothing that is configured. */
export const areConfigured = (configured: readonly ModelAlias[]): boolean => configured !== defaultAliases;

export async function aliasesInUse(
  store: Pick<Store, "getSetting">,
  configured: readonly ModelAlias[],
): Promise<readonly ModelAlias[]> {
  const stored = areConfigured(configured) ? null : await store.getSetting(setting);
  if (stored === null) return configured;
  const read = readAliases(JSON.parse(stored) as [string, string][]);
  // Written by a version that knows other models: better the default than none.
  return "aliases" in read ? read.aliases : configured;
}

export async function saveAliases(
  { store, audit }: { store: Pick<Store, "setSetting">; audit: Audit },
  actor: Actor,
  aliases: readonly ModelAlias[],
): Promise<void> {
  const pairs = aliases.map(({ name, model }) => [name, model]);
  await store.setSetting(setting, JSON.stringify(pairs));
  await audit.record(actor, "changed aliases", "");
}
