/** What people do with their own account, once signed in. What a stolen session must not do asks who it is: see the routes. */
import { deletedAccount, type Actor, type Audit } from "../audit.js";
import { DashboardError } from "../dashboard-error.js";
import type { EventSink } from "../events/events.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { CutTarget } from "../serving/running.js";
import { OnlyOwner } from "../store.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";
import type { AccountStore } from "./ports.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { Passwords } from "../sign-in/password-queue.js";
import type { Sessions } from "../sign-in/sessions.js";

export interface EndAccountParts {
  accounts: Pick<AccountStore, "remove">;
  keys: Pick<KeyRing, "forgetAccount">;
  usage: Pick<UsageRecorder, "forgetAccount">;
  audit: Audit;
  events: EventSink;
  /** Ends the replies that are being written. */
  cutStreams: (target: CutTarget) => void;
}

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

/**
 * The end of an account, by its owner or by an admin (`docs/privacy.md`). Its keys stop working, its streams end and its
 * rows are deleted before this resolves. False, and nothing is done, when it is the only admin. Throws `conflict` when teams would be left without an owner.
 */
export async function endAccount(parts: EndAccountParts, actor: Actor, id: string): Promise<boolean> {
  const { accounts, keys, usage, audit, events, cutStreams } = parts;
  const isRemoved = await accounts.remove(id).catch((error: unknown) => {
    throw error instanceof OnlyOwner ? new DashboardError("conflict", error.message) : error;
  });
  if (!isRemoved) return false;
  keys.forgetAccount(id);
  usage.forgetAccount(id);
  cutStreams({ accountId: id });
  await audit.record(actor, "deleted account", deletedAccount);
  events.publish({ type: "account.deleted", data: { account_id: id } });
  return true;
}
