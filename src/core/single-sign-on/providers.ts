/**
 * The providers that people can choose: those of the configuration, first and read-only here, and those that
 * admins have added, each sealed in the settings, secret included. They are not cached, so all replicas agree.
 */
import type { Actor, Audit } from "../audit.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import { SealedElsewhere, type SealedSettings } from "../proof/sealed-settings.js";
import { mostProviders, type Provider } from "./provider.js";

const prefix = "oidc_provider.";

export interface ListedProvider {
  provider: Provider;
  isConfigured: boolean;
}

/** One as it is saved; without a secret it keeps the one it has. */
export type ProviderChange = Omit<Provider, "clientSecret"> & { clientSecret?: string | null | undefined };

export class Providers {
  constructor(
    private readonly configured: readonly Provider[],
    private readonly vault: Pick<SealedSettings, "get" | "replace" | "delete" | "names">,
    private readonly audit: Audit,
    private readonly reportError: (error: unknown) => void,
  ) {}

  async list(): Promise<ListedProvider[]> {
    const names = await this.vault.names(prefix);
    const saved = await Promise.all(names.map((name) => this.#read(name.slice(prefix.length))));
    return [
      ...this.configured.map((provider) => ({ provider, isConfigured: true })),
      ...saved.flatMap((provider) =>
        provider === null || this.#isConfigured(provider.id) ? [] : [{ provider, isConfigured: false }],
      ),
    ];
  }

  async find(id: string): Promise<Provider | null> {
    return this.configured.find((provider) => provider.id === id) ?? (await this.#read(id));
  }

  /** Throws `not_found` where there is none. */
  async require(id: string): Promise<ListedProvider> {
    const provider = existing(await this.find(id), "There is no such identity provider.");
    return { provider, isConfigured: this.#isConfigured(id) };
  }

  /** Throws `conflict` where there is one with this id. */
  async create(actor: Actor, change: ProviderChange): Promise<Provider> {
    if ((await this.find(change.id)) === null) return this.save(actor, change);
    throw new DashboardError("conflict", "There is an identity provider with this id already.", {
      field: "id",
    });
  }

  /** With the secret that it has, unless another is given. Nobody can have it sent to another issuer. */
  async complete(change: ProviderChange): Promise<Provider> {
    const { clientSecret } = change;
    if (clientSecret !== undefined) return { ...change, clientSecret };
    const known = await this.find(change.id);
    if (known === null || known.clientSecret === null) return { ...change, clientSecret: null };
    if (known.issuer === change.issuer) return { ...change, clientSecret: known.clientSecret };
    throw invalid("clientSecret", "The issuer has changed. Enter the client secret again.");
  }

  async save(actor: Actor, change: ProviderChange): Promise<Provider> {
    this.#requireOwn(change.id);
    const names = await this.vault.names(prefix);
    if (!names.includes(prefix + change.id) && names.length >= mostProviders)
      throw new DashboardError("limit_reached", `There are ${mostProviders} providers already.`);
    const provider = await this.complete(change);
    await this.vault.replace(prefix + provider.id, Buffer.from(JSON.stringify(provider)));
    await this.audit.record(actor, "saved identity provider", provider.id);
    return provider;
  }

  /** Accounts stay linked: the provider can be added again. */
  async remove(actor: Actor, id: string): Promise<void> {
    this.#requireOwn(id);
    await this.require(id);
    await this.vault.delete(prefix + id);
    await this.audit.record(actor, "deleted identity provider", id);
  }

  /** Null for one that does not exist, or that was sealed under another service key: it has to be saved again. */
  async #read(id: string): Promise<Provider | null> {
    try {
      const sealed = await this.vault.get(prefix + id);
      return sealed === null ? null : (JSON.parse(sealed.toString()) as Provider);
    } catch (error) {
      if (!(error instanceof SealedElsewhere)) throw error;
      this.reportError(error);
      return null;
    }
  }

  #requireOwn(id: string): void {
    if (!this.#isConfigured(id)) return;
    throw new DashboardError("conflict", "This provider is set in the configuration. Change it there.", {
      field: "id",
    });
  }

  #isConfigured(id: string): boolean {
    return this.configured.some((provider) => provider.id === id);
  }
}
