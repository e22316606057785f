/** Second factors, sessions, and confirming who one is: bodies that come in and views that go out. See `api.ts`. */
import * as z from "zod";
import { graceDays, longest } from "../../core/bounds.js";
import type { NewTotp } from "../../core/factors/authenticator-app.js";
import type { Passkey } from "../../core/factors/ports.js";
import { requiredFor } from "../../core/factors/requirement.js";
import type { FactorMethod } from "../../core/factors/second-step.js";
import type { Session } from "../../core/sign-in/ports.js";
import { line, oldPassword, whole, type Me } from "./api.js";
import type { InJson } from "./in-json.js";

/** In place of `Me`: the password was right, and POST /api/sign-in/second-factor finishes. */
export interface SecondStepView {
  next: "second_factor";
  methods: FactorMethod[];
}
export type Entry = Me | SecondStepView;

const code = z.string("Enter the code.").trim().min(6, "Enter all six digits.").max(12, "Enter six digits.");
const recoveryCode = z
  .string("Enter a recovery code.")
  .trim()
  .min(1, "Enter a recovery code.")
  .max(40, "This is no recovery code.");

const noPasskey = "The browser's answer is not complete. Try again.";
const encoded = (max: number) =>
  z
    .string(noPasskey)
    .max(max, noPasskey)
    .regex(/^[\w-]+$/, noPasskey);
const credential = { id: encoded(1_400), rawId: encoded(1_400), type: z.literal("public-key", noPasskey) };
const newPasskeyAnswer = z.object(
  {
    ...credential,
    response: z.object({
      clientDataJSON: encoded(4_000),
      attestationObject: encoded(20_000),
      transports: z
        .array(z.string().regex(/^[a-z-]{1,20}$/))
        .max(10)
        .default([]),
    }),
  },
  noPasskey,
);
const passkeyAnswer = z.object(
  {
    ...credential,
    response: z.object({
      clientDataJSON: encoded(4_000),
      authenticatorData: encoded(4_000),
      signature: encoded(4_000),
      userHandle: encoded(200).nullish(),
    }),
  },
  noPasskey,
);

/** POST /api/sign-in/passkey → Me; its options come from POST /api/sign-in/passkey/options */
export const passkeySignInBody = z.object({ passkey: passkeyAnswer });
/** POST /api/sign-in/second-factor → Me & Recovered; options of a passkey: POST /api/sign-in/second-factor/passkey */
export const secondFactorBody = z
  .object({ code: code.optional(), recoveryCode: recoveryCode.optional(), passkey: passkeyAnswer.optional() })
  .transform(({ code: typed, recoveryCode: recovery, passkey }, context) => {
    if (passkey !== undefined) return { passkey };
    if (recovery !== undefined) return { recoveryCode: recovery };
    if (typed !== undefined) return { code: typed };
    context.addIssue({ code: "custom", path: ["code"], message: "Enter the code." });
    return z.NEVER;
  });
export interface Recovered {
  /** After a recovery code was used; null otherwise. */
  recoveryCodesLeft: number | null;
}

/** POST /api/me/confirm → {}; options of a passkey: POST /api/me/confirm/passkey */
export const confirmIdentityBody = z
  .object({ code: code.optional(), password: oldPassword.optional(), passkey: passkeyAnswer.optional() })
  .transform(({ code: typed, password, passkey }, context) => {
    if (passkey !== undefined) return { passkey };
    if (typed !== undefined) return { code: typed };
    if (password !== undefined) return { password };
    context.addIssue({ code: "custom", path: ["password"], message: "Enter your password." });
    return z.NEVER;
  });

/** GET /api/me/factors */
export interface FactorsView {
  /** When the authenticator app was added; null without one. */
  totpSince: string | null;
  passkeys: PasskeyView[];
  recoveryCodes: number;
  /** The providers that the account is linked to, by their ids. */
  providers: string[];
  /** False for one who signs in elsewhere. */
  hasPassword: boolean;
}
export type PasskeyView = InJson<Pick<Passkey, "id" | "name" | "isSynced" | "createdAt" | "lastUsedAt">>;
// POST /api/me/totp → NewTotp    DELETE /api/me/totp → {}    POST /api/me/recovery-codes → NewCodesView
export type { NewTotp };
/** POST /api/me/totp/confirm → NewCodesView */
export const confirmTotpBody = z.object({ code });
export interface NewCodesView {
  /** Shown this once; null where the account has codes already. */
  recoveryCodes: string[] | null;
}
/** POST /api/me/passkeys → NewCodesView; its options come from POST /api/me/passkeys/options */
export const addPasskeyBody = z.object({
  name: line("a name", longest.passkeyName),
  passkey: newPasskeyAnswer,
});
/** PUT /api/me/passkeys/:id → {}    DELETE /api/me/passkeys/:id → {} */
export const renamePasskeyBody = addPasskeyBody.pick({ name: true });

/** GET /api/me/sessions → { sessions: SessionView[] }, the one that was used last first */
export interface SessionView extends InJson<Pick<Session, "method" | "device" | "createdAt" | "lastSeenAt">> {
  id: string;
  isThisOne: boolean;
}
// POST /api/me/sessions/:id/end → {}    POST /api/me/sessions/end-others → {}

/** GET /api/admin/second-factor, PUT /api/admin/second-factor → RequirementFacts */
export const requirementBody = z.object({
  requiredFor: z.enum(requiredFor, "Choose nobody, admins or everyone."),
  graceDays: whole(graceDays.min, graceDays.max),
});
