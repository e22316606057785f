/** The second factors of one's own account. Every change has been confirmed just before: see the routes. */
import type { Audit } from "../audit.js";
import { DashboardError, existing } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import type { SessionRecord } from "../sign-in/ports.js";
import type { Sessions } from "../sign-in/sessions.js";
import type { SignIn } from "../sign-in/sign-in.js";
import type { AuthenticatorApp, NewTotp } from "./authenticator-app.js";
import type { FactorProof, FactorProofs } from "./factor-proofs.js";
import { passkeyName, type Passkeys } from "./passkeys.js";
import type { FactorStore, FactorSummary, NewPasskeyAnswer, Passkey, PasskeyOptions } from "./ports.js";
import type { RecoveryCodes } from "./recovery-codes.js";
import type { FactorRequirement } from "./requirement.js";

export interface OwnFactorsParts {
  store: FactorStore;
  app: AuthenticatorApp;
  passkeys: Passkeys;
  recovery: RecoveryCodes;
  proofs: FactorProofs;
  requirement: FactorRequirement;
  signIn: SignIn;
  sessions: Sessions;
  audit: Audit;
}

/** Recovery codes that are shown now and never again; null where the account has some. */
export type NewCodes = string[] | null;

export class OwnFactors {
  constructor(private readonly parts: OwnFactorsParts) {}

  summary({ id }: Account): Promise<FactorSummary> {
    return this.parts.store.summary(id);
  }

  /** Sensitive actions are not asked about again for a while. */
  async confirm(me: SessionRecord, proof: { password: string } | FactorProof): Promise<void> {
    const { signIn, proofs, sessions } = this.parts;
    if ("password" in proof) await signIn.confirm(me, proof.password);
    else await proofs.check(me.account, proof, "passkey_confirm");
    await sessions.noteConfirmed(me.session);
  }

  confirmOptions(account: Account): Promise<PasskeyOptions> {
    return this.parts.passkeys.useOptions(account, "passkey_confirm");
  }

  beginTotp(account: Account): Promise<NewTotp> {
    return this.parts.app.begin(account);
  }

  async confirmTotp(account: Account, code: string): Promise<NewCodes> {
    await this.parts.app.confirm(account, code);
    await this.#record(account, "added authenticator app");
    return this.parts.recovery.ensure(account.id);
  }

  async removeTotp(me: SessionRecord): Promise<void> {
    const { account } = me;
    const { totpSince, passkeys } = await this.summary(account);
    if (totpSince !== null) await this.#requireAnother(me, passkeys.length);
    if (!(await this.parts.store.removeTotp(account.id)))
      throw new DashboardError("not_found", "There is no such authenticator app.");
    await this.#removed(account, "removed authenticator app");
  }

  addOptions(account: Account): Promise<PasskeyOptions> {
    return this.parts.passkeys.addOptions(account);
  }

  async addPasskey(account: Account, answer: NewPasskeyAnswer, name: string): Promise<NewCodes> {
    await this.parts.passkeys.add(account, answer, name);
    await this.#record(account, "added passkey");
    return this.parts.recovery.ensure(account.id);
  }

  /** `which` as in `passkeyName`, here and below. */
  async renamePasskey(account: Account, which: string, name: string): Promise<void> {
    const { id } = passkeyOf(await this.summary(account), which);
    await this.parts.store.renamePasskey(account.id, id, name);
  }

  async removePasskey(me: SessionRecord, which: string): Promise<void> {
    const { account } = me;
    const summary = await this.summary(account);
    const { id } = passkeyOf(summary, which);
    await this.#requireAnother(me, summary.passkeys.length - 1 + (summary.totpSince === null ? 0 : 1));
    await this.parts.store.removePasskey(account.id, id);
    await this.#removed(account, "removed passkey");
  }

  async replaceCodes(account: Account): Promise<string[]> {
    const { totpSince, passkeys } = await this.summary(account);
    if (totpSince === null && passkeys.length === 0) {
      throw new DashboardError("conflict", "Add an authenticator app or a passkey first.");
    }
    const codes = await this.parts.recovery.replace(account.id);
    await this.#record(account, "created recovery codes");
    return codes;
  }

  async #requireAnother(me: SessionRecord, left: number): Promise<void> {
    if (left > 0 || (await this.parts.requirement.dueOf(me)) === null) return;
    throw new DashboardError(
      "conflict",
      "This service or one of your teams requires a second factor, and this is your last one. Add another one first.",
    );
  }

  /** Without a factor there is nothing to recover. */
  async #removed(account: Account, action: "removed authenticator app" | "removed passkey"): Promise<void> {
    await this.#record(account, action);
    const { totpSince, passkeys } = await this.summary(account);
    if (totpSince === null && passkeys.length === 0)
      await this.parts.store.replaceRecoveryCodes(account.id, []);
  }

  #record({ id }: Account, action: Parameters<Audit["record"]>[1]): Promise<void> {
    return this.parts.audit.record({ accountId: id }, action, id);
  }
}

function passkeyOf({ passkeys }: FactorSummary, which: string): Passkey {
  const found = passkeys.find((passkey) => passkeyName(passkey) === which);
  return existing(found, "There is no such passkey.");
}
