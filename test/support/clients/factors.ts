/** Second factors of test accounts. */
import { Secret, TOTP } from "otpauth";
import type { Clock } from "../../../src/core/clock.js";
import type { NewCodesView, NewTotp } from "../../../src/protocol/dashboard/factors.js";
import type { Browser } from "../processes/browser-requests.js";

/** The app on someone's phone. */
export class PhoneApp {
  constructor(
    readonly secret: string,
    private readonly clock: Clock,
  ) {}

  /** Now, or so many steps of half a minute from now. */
  code(steps = 0): string {
    const timestamp = this.clock.now().getTime() + steps * 30_000;
    return TOTP.generate({ secret: Secret.fromBase32(this.secret), timestamp });
  }
}

/** Turns one on for whoever is signed in there. */
export async function addPhoneApp(
  browser: Browser,
  clock: Clock,
): Promise<{ app: PhoneApp; recoveryCodes: string[] }> {
  const { secret } = await browser.post<NewTotp>("/api/me/totp");
  const app = new PhoneApp(secret, clock);
  const { recoveryCodes } = await browser.post<NewCodesView>("/api/me/totp/confirm", {
    code: app.code(-1),
  });
  return { app, recoveryCodes: recoveryCodes ?? [] };
}
