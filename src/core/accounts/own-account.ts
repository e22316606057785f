/** What people do with their own account, once signed in. */
import { deletedAccount, type Audit } from "../audit.js";
import type { CutTarget } from "../serving/completion.js";
import { DashboardError } from "../dashboard-error.js";
import type { AccountStore } from "./ports.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { Passwords } from "../sign-in/password-queue.js";
import type { Sessions } from "../sign-in/sessions.js";
import type { SignIn } from "../sign-in/sign-in.js";
import type { UsageRecorder } from "../usage/usage-recorder.js";

export interface OwnAccountParts {
  accounts: AccountStore;
  sessions: Sessions;
  signIn: SignIn;
  passwords: Passwords;
  keys: Pick<KeyRing, "forgetAccount">;
  usage: Pick<UsageRecorder, "forgetAccount">;
  audit: Audit;
  /** Ends the replies that are being written. */
  cutStreams: (target: CutTarget) => void;
}

export class OwnAccount {
  constructor(private readonly parts: OwnAccountParts) {}

  /** Ends all other sessions. */
  async changePassword({ account, session }: SessionRecord, current: string, next: string): Promise<void> {
    const { signIn, passwords, accounts, audit } = this.parts;
    await signIn.confirm(account, current, "current");
    await accounts.setPassword(account.id, await passwords.hash(next), session.hash);
    await audit.record({ accountId: account.id }, "changed password", account.id);
  }

  async signOutEverywhere({ account }: SessionRecord): Promise<void> {
    await this.parts.sessions.endAll(account.id);
    await this.parts.audit.record({ accountId: account.id }, "signed out everywhere", account.id);
  }

  /** Its keys stop working, its streams end and its rows are deleted before this resolves. See `docs/privacy.md`. */
  async remove({ account }: SessionRecord, password: string): Promise<void> {
    const { signIn, accounts, keys, usage, cutStreams, audit } = this.parts;
    await signIn.confirm(account, password, "password");
    if (!(await accounts.remove(account.id))) {
      throw new DashboardError(
        "conflict",
        "This is the only account that manages the service. Make another one an admin first.",
      );
    }
    keys.forgetAccount(account.id);
    usage.forgetAccount(account.id);
    cutStreams({ accountId: account.id });
    await audit.record(deletedAccount, "deleted account", deletedAccount);
  }
}
