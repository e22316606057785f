/** Calls and queries about second factors and sessions, see src/protocol/dashboard/factors.ts. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/browser";
import type { Requirement, RequirementFacts } from "../../src/core/factors/requirement.js";
import type { Me } from "../../src/protocol/dashboard/api.js";
import type {
  FactorsView,
  NewCodesView,
  NewTotp,
  Recovered,
  SessionView,
} from "../../src/protocol/dashboard/factors.js";
import { post, read, send } from "./api.ts";
import type { PasskeyOptions } from "./passkeys.ts";

/** A passkey's answer goes as the browser gave it; the service reads what it needs. */
interface PasskeyProof {
  passkey: AuthenticationResponseJSON;
}
export type SecondFactorProof = { code: string } | { recoveryCode: string } | PasskeyProof;
export type IdentityProof = { code: string } | { password: string } | PasskeyProof;

export const factorApi = {
  passkeySignInOptions: () => post<PasskeyOptions>("/api/sign-in/passkey/options"),
  signInByPasskey: (passkey: AuthenticationResponseJSON) => post<Me>("/api/sign-in/passkey", { passkey }),
  secondFactorOptions: () => post<PasskeyOptions>("/api/sign-in/second-factor/passkey"),
  finishSignIn: (proof: SecondFactorProof) => post<Me & Recovered>("/api/sign-in/second-factor", proof),

  confirmOptions: () => post<PasskeyOptions>("/api/me/confirm/passkey"),
  confirm: (proof: IdentityProof) => post<object>("/api/me/confirm", proof),

  beginTotp: () => post<NewTotp>("/api/me/totp"),
  confirmTotp: (code: string) => post<NewCodesView>("/api/me/totp/confirm", { code }),
  removeTotp: () => send<object>("DELETE", "/api/me/totp"),
  addPasskeyOptions: () => post<PasskeyOptions>("/api/me/passkeys/options"),
  addPasskey: (name: string, passkey: RegistrationResponseJSON) =>
    post<NewCodesView>("/api/me/passkeys", { name, passkey }),
  renamePasskey: (id: string, name: string) => send<object>("PUT", `/api/me/passkeys/${id}`, { name }),
  removePasskey: (id: string) => send<object>("DELETE", `/api/me/passkeys/${id}`),
  replaceCodes: () => post<NewCodesView>("/api/me/recovery-codes"),

  endSession: (id: string) => post<object>(`/api/me/sessions/${id}/end`),
  endOtherSessions: () => post<object>("/api/me/sessions/end-others"),

  saveRequirement: (body: Requirement) => send<RequirementFacts>("PUT", "/api/admin/second-factor", body),
  resetFactors: (accountId: string) =>
    post<object>(`/api/admin/accounts/${encodeURIComponent(accountId)}/reset-factors`),
};

/** Who asks for a second factor. */
export const requiredBy = { service: "This service", team: "A team that you are in" } as const;

export const factorQueries = {
  factors: read<FactorsView>(["factors"], "/api/me/factors"),
  sessions: read<{ sessions: SessionView[] }>(["sessions"], "/api/me/sessions"),
  requirement: read<RequirementFacts>(["admin", "second-factor"], "/api/admin/second-factor"),
};
