/** Second factors, with the libraries and the store behind them. */
import { totpCodes } from "../adapters/totp.js";
import { webAuthn } from "../adapters/webauthn.js";
import type { Audit } from "../core/audit.js";
import { AuthenticatorApp } from "../core/factors/authenticator-app.js";
import { FactorProofs } from "../core/factors/factor-proofs.js";
import { OwnFactors } from "../core/factors/own-factors.js";
import { Passkeys } from "../core/factors/passkeys.js";
import { FactorRequirement } from "../core/factors/requirement.js";
import { RecoveryCodes } from "../core/factors/recovery-codes.js";
import { relyingPartyOf } from "../core/factors/relying-party.js";
import { SecondStep } from "../core/factors/second-step.js";
import type { SealedSettings } from "../core/proof/sealed-settings.js";
import type { Sessions } from "../core/sign-in/sessions.js";
import type { SignIn } from "../core/sign-in/sign-in.js";
import type { Context } from "./overrides.js";
import type { Storage } from "./storage.js";

interface FactorParts {
  sealed: SealedSettings;
  sessions: Sessions;
  signIn: SignIn;
  audit: Audit;
  ownerName: () => string;
  publicUrl: () => string;
}

export function createFactors(
  { config, clock }: Context,
  { store: all, counters: { admissions } }: Storage,
  { sealed, sessions, signIn, audit, ownerName, publicUrl }: FactorParts,
) {
  const { secondFactor: requiredFor, secondFactorGraceDays: graceDays } = config.accounts;
  const { factors: store, signInSteps: steps, accounts } = all;
  const passkeyParty = () => relyingPartyOf(publicUrl());
  const requirement = new FactorRequirement(all, clock, { requiredFor, graceDays });
  const app = new AuthenticatorApp({ store, codes: totpCodes, sealed, clock, ownerName });
  const recovery = new RecoveryCodes(store);
  const passkeys = new Passkeys({
    ...{ store, steps, accounts, webAuthn, admissions, clock, ownerName },
    party: passkeyParty,
  });
  const proofs = new FactorProofs(app, recovery, passkeys, audit, admissions, clock);
  return {
    passkeys,
    passkeyParty,
    factorRequirement: requirement,
    secondStep: new SecondStep({ store, steps, accounts, proofs, passkeys, audit, clock }),
    ownFactors: new OwnFactors({
      ...{ store, app, passkeys, recovery, proofs, requirement, signIn, sessions, audit },
    }),
  };
}
