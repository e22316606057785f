/**
 * The aliases that count: those of the configuration; where it has none, those that were applied from a file; otherwise the
 * default. Below `model.`, so that running servers learn of a change as they do for a model's source.
 */
import type { Actor, Audit } from "./audit.js";
import { DashboardError } from "./dashboard-error.js";
import { defaultAliases, type ModelAlias, readAliases } from "./model-aliases.js";
import type { Store } from "./store.js";

const setting = "model.aliases";

export class StoredAliases {
  constructor(
    private readonly store: Pick<Store, "getSetting" | "setSetting">,
    /** The default itself where nothing is configured. */
    private readonly configured: readonly ModelAlias[],
  ) {}

  get isConfigured(): boolean {
    return this.configured !== defaultAliases;
  }

  async read(): Promise<readonly ModelAlias[]> {
    const stored = this.isConfigured ? null : await this.store.getSetting(setting);
    if (stored === null) return this.configured;
    const read = readAliases(JSON.parse(stored) as [string, string][]);
    // Written by a version that knows other models: better the default than none.
    return "aliases" in read ? read.aliases : this.configured;
  }

  async save(audit: Audit, actor: Actor, pairs: readonly (readonly [string, string])[]): Promise<void> {
    if (this.isConfigured) {
      throw new DashboardError("conflict", "Aliases are set by the configuration: SOTTO_MODEL_ALIASES.");
    }
    const read = readAliases(pairs);
    if ("problem" in read) throw new DashboardError("bad_request", `The list ${read.problem}.`);
    await this.store.setSetting(setting, JSON.stringify(pairs));
    await audit.record(actor, "changed aliases", "");
  }
}
