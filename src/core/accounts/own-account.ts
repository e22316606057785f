/** What people do with their own account, once signed in. What a stolen session must not do asks who it is: see the routes. */
import { deletedAccount } from "../audit.js";
import { DashboardError } from "../dashboard-error.js";
import { endAccount, type EndAccountParts } from "./end-account.js";
import type { AccountStore } from "./ports.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { Passwords } from "../sign-in/password-queue.js";
import type { Sessions } from "../sign-in/sessions.js";

export interface OwnAccountParts extends EndAccountParts {
  accounts: AccountStore;
  sessions: Sessions;
  passwords: Passwords;
}

export class OwnAccount {
  constructor(private readonly parts: OwnAccountParts) {}

  /** Ends all other sessions. */
  async changePassword({ account, session }: SessionRecord, next: string): Promise<void> {
    const { passwords, accounts, audit } = this.parts;
    await accounts.setPassword(account.id, await passwords.hash(next), session.hash);
    await audit.record({ accountId: account.id }, "changed password", account.id);
  }

  async signOutEverywhere({ account }: SessionRecord): Promise<void> {
    await this.parts.sessions.endAll(account.id);
    await this.parts.audit.record({ accountId: account.id }, "signed out everywhere", account.id);
  }

  /** Another browser's, or this one's. */
  async endSession({ account }: SessionRecord, id: string): Promise<void> {
    if (!(await this.parts.sessions.endOne(account, id))) {
      throw new DashboardError("not_found", "This session has ended already.");
    }
    await this.parts.audit.record({ accountId: account.id }, "ended session", account.id);
  }

  async endOtherSessions({ account, session }: SessionRecord): Promise<void> {
    await this.parts.sessions.endAll(account.id, session);
    await this.parts.audit.record({ accountId: account.id }, "ended other sessions", account.id);
  }

  async remove({ account }: SessionRecord): Promise<void> {
    if (await endAccount(this.parts, deletedAccount, account.id)) return;
    throw new DashboardError(
      "conflict",
      "This is the only account that manages the service. Make another one an admin first.",
    );
  }
}
