/**
 * Six digits from an authenticator app (TOTP). A code is accepted for its thirty seconds and those beside them, once:
 * the last step that was used is stored, and only later ones count. The secret is needed in clear to compute codes, so
 * it is sealed under the service key; where the service key was lost, the app is of no use until it is set up again.
 */
import { DashboardError, invalid } from "../dashboard-error.js";
import type { Clock } from "../clock.js";
import type { Account } from "../entities.js";
import type { SealedSettings } from "../proof/sealed-settings.js";
import type { FactorStore, TotpCodes } from "./ports.js";

export interface AuthenticatorAppParts {
  store: FactorStore;
  codes: TotpCodes;
  /** Null where the service key is not the one that secrets were sealed under. */
  sealed: Pick<SealedSettings, "seal" | "open"> | null;
  clock: Clock;
  ownerName: () => string;
}

export interface NewTotp {
  /** To be typed into an app that reads no QR codes. */
  secret: string;
  /** What the QR code says. */
  address: string;
}

export class AuthenticatorApp {
  constructor(private readonly parts: AuthenticatorAppParts) {}

  /** It is not in use before `confirm`. */
  async begin({ id, email }: Account): Promise<NewTotp> {
    const { store, codes, clock, ownerName } = this.parts;
    const secret = await codes.newSecret();
    const sealed = this.#sealed().seal(nameOf(id), Buffer.from(secret));
    if (!(await store.beginTotp(id, sealed, clock.now()))) {
      throw new DashboardError("conflict", "An authenticator app is set up already. Remove it first.");
    }
    return { secret, address: await codes.address(secret, { issuer: ownerName(), email }) };
  }

  async confirm({ id }: Account, code: string): Promise<void> {
    const { store, clock } = this.parts;
    const totp = await store.findTotp(id);
    if (totp === null || totp.confirmedAt !== null) {
      throw new DashboardError("conflict", "There is no authenticator app to confirm. Begin again.");
    }
    const step = await this.#stepOf(id, totp.sealedSecret, code);
    if (step === null) throw wrongCode();
    if (!(await store.confirmTotp(id, step, clock.now()))) throw wrongCode();
  }

  /** False for a wrong code and for one that was used. */
  async use({ id }: Account, code: string): Promise<boolean> {
    const totp = await this.parts.store.findTotp(id);
    if (totp === null || totp.confirmedAt === null) return false;
    const step = await this.#stepOf(id, totp.sealedSecret, code);
    return step !== null && this.parts.store.useTotpStep(id, step);
  }

  #stepOf(id: string, sealedSecret: string, code: string): Promise<number | null> {
    const secret = this.#sealed().open(nameOf(id), sealedSecret).toString();
    return this.parts.codes.stepOf(secret, code.replace(/\s/g, ""), this.parts.clock.now());
  }

  #sealed(): Pick<SealedSettings, "seal" | "open"> {
    const { sealed } = this.parts;
    if (sealed !== null) return sealed;
    throw new DashboardError("unavailable", "Authenticator apps cannot be used now. Ask the operator.");
  }
}

/** What it is sealed with, so that the secret of one account is of no use in the row of another. */
const nameOf = (accountId: string): string => `totp ${accountId}`;

export const wrongCode = (): DashboardError =>
  invalid("code", "The code is wrong or was used already. Wait for the next one.");
