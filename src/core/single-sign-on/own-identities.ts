/** How an account can be signed in to, for its owner. */
import type { AccountStore } from "../accounts/ports.js";
import type { Audit } from "../audit.js";
import { DashboardError } from "../dashboard-error.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { LinkedIdentity, SingleSignOnStore } from "./ports.js";

/** `oidc`: with providers only; passwords are neither asked for nor accepted. */
export type SignInMode = "all" | "oidc";

export interface OwnIdentitiesParts {
  store: { readonly accounts: AccountStore; readonly singleSignOn: SingleSignOnStore };
  audit: Audit;
  mode: SignInMode;
}

export class OwnIdentities {
  constructor(private readonly parts: OwnIdentitiesParts) {}

  async list({ account }: SessionRecord): Promise<{ hasPassword: boolean; identities: LinkedIdentity[] }> {
    const { accounts, singleSignOn } = this.parts.store;
    const credentials = await accounts.findCredentialsById(account.id);
    const identities = await singleSignOn.listIdentities(account.id);
    return { hasPassword: credentials?.passwordHash != null, identities };
  }

  async unlink({ account }: SessionRecord, id: string): Promise<void> {
    const { store, audit, mode } = this.parts;
    const outcome = await store.singleSignOn.unlink(account.id, id, mode === "all");
    if (outcome === "none") throw new DashboardError("not_found", "This provider is not linked.");
    if (outcome === "last") {
      throw new DashboardError(
        "conflict",
        mode === "all"
          ? "This is the only way to sign in to your account. Set a password or link another provider first."
          : "This is the only way to sign in to your account. Link another provider first.",
      );
    }
    await audit.record({ accountId: account.id }, "unlinked identity", account.id);
  }
}
