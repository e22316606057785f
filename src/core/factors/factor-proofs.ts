/** What someone shows to prove who they are, besides the password. Codes can be guessed, so attempts are counted. */
import type { Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import type { Admissions } from "../counters.js";
import { DashboardError, invalid } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import { Throttle } from "../sign-in/throttle.js";
import { wrongCode, type AuthenticatorApp } from "./authenticator-app.js";
import type { Passkeys } from "./passkeys.js";
import type { PasskeyAnswer } from "./ports.js";
import type { RecoveryCodes } from "./recovery-codes.js";

/** Three of a million codes are right at any time. */
const mostGuesses = { name: "factor", limit: 10, windowMs: 15 * 60_000 };

export type FactorProof = { code: string } | { recoveryCode: string } | { passkey: PasskeyAnswer };

export class FactorProofs {
  readonly #guesses: Throttle;

  constructor(
    private readonly app: AuthenticatorApp,
    private readonly recovery: RecoveryCodes,
    private readonly passkeys: Passkeys,
    private readonly audit: Audit,
    admissions: Admissions,
    clock: Clock,
  ) {
    this.#guesses = new Throttle(admissions, clock, mostGuesses);
  }

  /** Resolves when the proof is right, which uses it up. Otherwise throws `bad_request`, or `throttled`. */
  async check(
    account: Account,
    proof: FactorProof,
    purpose: "passkey_second_factor" | "passkey_confirm",
  ): Promise<void> {
    if ("passkey" in proof) {
      if (await this.passkeys.use(account, purpose, proof.passkey)) return;
      throw new DashboardError("bad_request", "The passkey was not accepted. Try again, or use another way.");
    }
    const refund = await this.#guesses.attempt(account.id);
    if ("code" in proof) {
      if (!(await this.app.use(account, proof.code))) throw wrongCode();
    } else {
      if (!(await this.recovery.use(account.id, proof.recoveryCode)))
        throw invalid("recoveryCode", "This recovery code is wrong or was used already.");
      await this.audit.record({ accountId: account.id }, "used recovery code", account.id);
    }
    await refund();
  }
}
