/**
 * The second step of a sign-in: the password was right, and the account has a second factor. Meanwhile the browser has a
 * token in a cookie, which is good for nothing but this step; its hash is stored for five minutes.
 */
import type { Audit } from "../audit.js";
import type { Clock } from "../clock.js";
import { DashboardError } from "../dashboard-error.js";
import type { Account } from "../entities.js";
import type { CredentialStore } from "../sign-in/ports.js";
import { newHashedToken, tokenHash } from "../sign-in/secret-token.js";
import type { FactorProof, FactorProofs } from "./factor-proofs.js";
import { stepLifeMs, type Passkeys } from "./passkeys.js";
import type { FactorStore, PasskeyOptions, StepStore } from "./ports.js";

const factorMethods = ["passkey", "totp", "recovery"] as const;
export type FactorMethod = (typeof factorMethods)[number];

export interface SecondStepParts {
  store: FactorStore;
  steps: StepStore;
  accounts: Pick<CredentialStore, "findCredentialsById">;
  proofs: FactorProofs;
  passkeys: Passkeys;
  audit: Audit;
  clock: Clock;
}

export class SecondStep {
  constructor(private readonly parts: SecondStepParts) {}

  /** Null where the account has no second factor. The token is for the cookie, and kept nowhere else. */
  async begin({ id }: Account): Promise<{ token: string; expiresAt: Date; methods: FactorMethod[] } | null> {
    const { store, steps, clock } = this.parts;
    const { totpSince, passkeys, recoveryCodes } = await store.summary(id);
    const has = { passkey: passkeys.length > 0, totp: totpSince !== null, recovery: recoveryCodes > 0 };
    if (!has.passkey && !has.totp) return null;
    const { token, hash } = newHashedToken();
    const expiresAt = new Date(clock.now().getTime() + stepLifeMs);
    await steps.create({ kind: "second_factor", hash, accountId: id, expiresAt });
    return { token, expiresAt, methods: factorMethods.filter((method) => has[method]) };
  }

  async passkeyOptions(token: string | null): Promise<PasskeyOptions> {
    const { account } = await this.#require(token);
    return this.parts.passkeys.useOptions(account, "passkey_second_factor");
  }

  /** The account is signed in; with a recovery code, how many are left. */
  async finish(
    token: string | null,
    proof: FactorProof,
  ): Promise<{ account: Account; recoveryCodesLeft: number | null }> {
    const { store, steps, proofs, audit, clock } = this.parts;
    const { account, hash } = await this.#require(token);
    await proofs.check(account, proof, "passkey_second_factor");
    if ((await steps.take("second_factor", hash, clock.now())) === null) throw tooLate();
    await audit.record({ accountId: account.id }, "signed in", account.id);
    const left = "recoveryCode" in proof ? (await store.summary(account.id)).recoveryCodes : null;
    return { account, recoveryCodesLeft: left };
  }

  async #require(token: string | null): Promise<{ account: Account; hash: Uint8Array }> {
    const { steps, accounts, clock } = this.parts;
    const hash = token === null ? null : tokenHash(token);
    const step = hash && (await steps.find("second_factor", hash, clock.now()));
    const credentials = step?.accountId == null ? null : await accounts.findCredentialsById(step.accountId);
    if (hash === null || credentials === null || credentials.account.suspendedAt !== null) throw tooLate();
    return { account: credentials.account, hash };
  }
}

const tooLate = (): DashboardError =>
  new DashboardError("conflict", "This took too long. Enter your password again.");
