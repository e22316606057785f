/** Passkeys, by a library that is loaded with the first one: every start would wait for it. */
import type { Passkey, PasskeyAnswer, WebAuthn } from "../core/factors/ports.js";

const timeoutMs = 5 * 60_000;

export const webAuthn: WebAuthn = {
  addOptions: async (party, { challenge, owner, name, known }) => {
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    return generateRegistrationOptions({
      rpID: party.id,
      rpName: name,
      userID: bytesOf(Buffer.from(owner.id)),
      userName: owner.email,
      challenge: bytesOf(Buffer.from(challenge, "base64url")),
      timeout: timeoutMs,
      attestationType: "none",
      excludeCredentials: known.map(reference),
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    });
  },

  verifyNew: async (party, answer, challenge) => {
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    const { registrationInfo } = await orNull(
      verifyRegistrationResponse({
        response: { ...answer, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: false,
      }),
    );
    if (registrationInfo === undefined) return null;
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    return {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      transports: credential.transports ?? [],
      canSync: credentialDeviceType === "multiDevice",
      isSynced: credentialBackedUp,
    };
  },

  useOptions: async (party, { challenge, allowed }) => {
    const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
    return generateAuthenticationOptions({
      rpID: party.id,
      challenge: bytesOf(Buffer.from(challenge, "base64url")),
      timeout: timeoutMs,
      ...(allowed === null ? {} : { allowCredentials: allowed.map(reference) }),
      userVerification: allowed === null ? "required" : "preferred",
    });
  },

  verifyUse: async (party, answer, { challenge, passkey, verifiesUser }) => {
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const { verified, authenticationInfo } = await orNull(
      verifyAuthenticationResponse({
        response: { ...answer, response: withoutHandle(answer.response), clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        credential: {
          id: passkey.id,
          publicKey: bytesOf(Buffer.from(passkey.publicKey, "base64url")),
          counter: passkey.counter,
          transports: passkey.transports,
        },
        requireUserVerification: verifiesUser,
      }),
    );
    if (verified !== true || authenticationInfo === undefined) return null;
    return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
  },
};

const reference = ({ id, transports }: Passkey) => ({ id, transports });

/** It was compared already, and the library's types want none rather than null. */
const withoutHandle = ({ clientDataJSON, authenticatorData, signature }: PasskeyAnswer["response"]) => ({
  clientDataJSON,
  authenticatorData,
  signature,
});

/** With a buffer of its own, as the library's types want it. */
const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => Uint8Array.from(buffer);

/** The library throws for most of what is wrong with an answer. The reason concerns only the browser. */
const orNull = <T extends object>(checked: Promise<T>): Promise<Partial<T>> =>
  checked.catch((): Partial<T> => ({}));
