/**
 * Passkeys of this browser. They exist where the page is secure and is the one whose address the service is configured
 * with; elsewhere nothing about them is shown. The library is loaded when one is used.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import type { Site } from "../../src/protocol/dashboard/api.js";

/** Written by the service's library for the browser's. */
export type PasskeyOptions = PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON;

export const canUsePasskeys = (site: Site | undefined): boolean =>
  site !== undefined &&
  site.passkeyOrigin === location.origin &&
  isSecureContext &&
  "PublicKeyCredential" in window;

export async function createPasskey(options: PasskeyOptions): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  return startRegistration({ optionsJSON: options }).catch(explain);
}

export async function answerPasskey(options: PasskeyOptions): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  return startAuthentication({ optionsJSON: options }).catch(explain);
}

/** Offers passkeys where the email address is typed. Null when nothing comes of it, which is no error. */
export async function answerByAutofill(
  getOptions: () => Promise<PasskeyOptions>,
): Promise<AuthenticationResponseJSON | null> {
  const { browserSupportsWebAuthnAutofill, startAuthentication } = await import("@simplewebauthn/browser");
  if (!(await browserSupportsWebAuthnAutofill())) return null;
  return startAuthentication({ optionsJSON: await getOptions(), useBrowserAutofill: true }).catch(() => null);
}

/** Ends what still waits for the person. */
export async function cancelPasskey(): Promise<void> {
  const { WebAuthnAbortService } = await import("@simplewebauthn/browser");
  WebAuthnAbortService.cancelCeremony();
}

function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") throw new Error("This device has a passkey for your account already.");
  throw new Error("No passkey was used: the request was cancelled or took too long. Try again.");
}
