/**
 * The end of sessions in both directions: what a provider tells by back-channel logout (OpenID Connect Back-Channel
 * Logout 1.0), and where a browser that signs out here ends the provider's own session.
 *
 * A logout token that names a session of the provider ends the sessions that it began. One that names only a person ends
 * all sessions of their account, and so does any token of a provider that ends keys, too. All of them are changes of the
 * store, so every replica ends the streams within a second or two.
 */
import { createHash } from "node:crypto";
import type { AccountStore } from "../accounts/ports.js";
import type { Audit } from "../audit.js";
import type { Account } from "../entities.js";
import { ownHolder, type OwnKeys } from "../keys/own-keys.js";
import { keyStatus } from "../keys/key-status.js";
import type { Clock } from "../clock.js";
import type { Sessions } from "../sign-in/sessions.js";
import type { Store } from "../store.js";
import type { TeamStore } from "../teams/ports.js";
import { withTimeLimit } from "../time-limit.js";
import { type LogoutClaims, type OidcClient, ProviderFailure, type SingleSignOnStore } from "./ports.js";
import type { Providers } from "./providers.js";

/** Nobody waits for a provider that does not answer in order to sign out here. */
const signOutWaitMs = 2_000;

export interface ProviderLogoutParts {
  store: Store & {
    readonly accounts: AccountStore;
    readonly singleSignOn: SingleSignOnStore;
    readonly teams: Pick<TeamStore, "ofAccount">;
  };
  providers: Providers;
  client: OidcClient;
  sessions: Pick<Sessions, "endAll">;
  ownKeys: Pick<OwnKeys, "disable">;
  audit: Audit;
  clock: Clock;
  publicUrl: () => string;
}

export class ProviderLogout {
  constructor(private readonly parts: ProviderLogoutParts) {}

  /** Throws `ProviderFailure` for a token that is not valid or was used before. */
  async receive(providerId: string, token: string): Promise<void> {
    const { providers, client, store, audit } = this.parts;
    const { provider } = await providers.require(providerId);
    const claims = await client.verifyLogout(provider, token);
    const { issuer, sid, jti, expiresAt } = claims;
    const hash = createHash("sha256")
      .update(JSON.stringify([issuer, jti]))
      .digest();
    const wasUsed = () => new ProviderFailure("invalid", "The logout token was used before.");
    if (await store.singleSignOn.isLogoutClaimed(hash)) throw wasUsed();
    const ended = sid === null ? [] : await store.singleSignOn.endSessionsOf(issuer, sid);
    const accounts = await this.#accountsOf(claims, ended);
    for (const account of accounts) {
      if (sid === null || provider.endsKeys) await this.parts.sessions.endAll(account.id);
      if (provider.endsKeys) await this.#disableKeys(account);
      await audit.record({ accountId: account.id }, "signed out by identity provider", account.id);
    }
    // Last, so that the provider may send it again when something before failed.
    if (!(await store.singleSignOn.claimLogout(hash, expiresAt))) throw wasUsed();
  }

  /** Null where the session was not begun by a provider, or its provider cannot end its own. Never rejects. */
  async signOutUrl(sessionHash: Uint8Array): Promise<string | null> {
    const { store, providers, client, publicUrl } = this.parts;
    const find = async () => {
      const origin = await store.singleSignOn.findOrigin(sessionHash);
      const provider = origin === null ? null : await providers.find(origin.providerId);
      return provider && client.endSessionUrl(provider, `${publicUrl()}/sign-in`);
    };
    return withTimeLimit(find(), signOutWaitMs).catch(() => null);
  }

  async #accountsOf({ issuer, subject }: LogoutClaims, ended: readonly string[]): Promise<Account[]> {
    const { store } = this.parts;
    const named = subject === null ? null : await store.singleSignOn.findAccount({ issuer, subject });
    const others = ended.filter((id) => id !== named?.id);
    const found = await Promise.all(others.map((id) => store.accounts.findAccount(id)));
    return [named, ...found].filter((account) => account !== null);
  }

  /** Of the account itself, and in its teams. */
  async #disableKeys(account: Account): Promise<void> {
    const { store, ownKeys, clock } = this.parts;
    const inTeams = (await store.teams.ofAccount(account.id)).map(({ team }) => ({
      ...{ account: team, actor: { accountId: account.id }, memberId: account.id },
    }));
    for (const holder of [ownHolder(account), ...inTeams]) {
      const keys = (await store.listKeys(holder.account.id)).filter(
        ({ memberId }) => memberId === holder.memberId,
      );
      const live = keys.filter((key) => ["active", "expiring"].includes(keyStatus(key, clock.now())));
      for (const { id } of live) await ownKeys.disable(holder, id);
    }
  }
}
