/** Codes of authenticator apps. The library is loaded with the first one: every start would wait for it. */
import type { TotpCodes } from "../core/factors/ports.js";

// What every app understands, whatever else the standard allows.
const kind = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const secretBytes = 20;

export const totpCodes: TotpCodes = {
  newSecret: async () => {
    const { Secret } = await import("otpauth");
    return new Secret({ size: secretBytes }).base32;
  },
  address: async (secret, { issuer, email }) => {
    const { TOTP } = await import("otpauth");
    return new TOTP({ ...kind, secret, issuer, label: email }).toString();
  },
  stepOf: async (secret, code, at) => {
    const { Secret, TOTP } = await import("otpauth");
    const timestamp = at.getTime();
    const off = TOTP.validate({
      ...kind,
      secret: Secret.fromBase32(secret),
      token: code,
      timestamp,
      window: 1,
    });
    return off === null ? null : TOTP.counter({ period: kind.period, timestamp }) + off;
  },
};
