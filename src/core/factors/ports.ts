/** What second factors need from the store and from libraries. */

/** A credential of WebAuthn, which a device or a password manager holds the private key of. */
export interface Passkey {
  /** The credential's id, as base64url. */
  id: string;
  accountId: string;
  /** Chosen by its owner. */
  name: string;
  /** In COSE form, as base64url. */
  publicKey: string;
  /** How often it was used, as it says itself; 0 where it does not count. */
  counter: number;
  /** How a browser reaches it. */
  transports: string[];
  /** It may be copied to other devices, and it is. */
  canSync: boolean;
  isSynced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** An authenticator app. */
export interface Totp {
  /** Sealed under the service key. */
  sealedSecret: string;
  /** Null until its owner has typed a first code. */
  confirmedAt: Date | null;
}

export interface FactorSummary {
  totpSince: Date | null;
  /** The oldest first. */
  passkeys: Passkey[];
  /** How many are left. */
  recoveryCodes: number;
}

export interface FactorStore {
  summary(accountId: string): Promise<FactorSummary>;
  findTotp(accountId: string): Promise<Totp | null>;
  /** Replaces one that was not confirmed. False, and nothing is done, where one is in use. */
  beginTotp(accountId: string, sealedSecret: string, now: Date): Promise<boolean>;
  /** From now on it is in use. False where none waits to be confirmed. */
  confirmTotp(accountId: string, step: number, now: Date): Promise<boolean>;
  /** False where a code of this step or a later one was used already: exactly one of many callers wins. */
  useTotpStep(accountId: string, step: number): Promise<boolean>;
  /** False where there is none. */
  removeTotp(accountId: string): Promise<boolean>;
  addPasskey(passkey: Passkey): Promise<void>;
  findPasskey(id: string): Promise<Passkey | null>;
  notePasskeyUse(id: string, use: { counter: number; isSynced: boolean; at: Date }): Promise<void>;
  /** These two are false where the account has no such passkey. */
  renamePasskey(accountId: string, id: string, name: string): Promise<boolean>;
  removePasskey(accountId: string, id: string): Promise<boolean>;
  /** Those that it had before stop working. */
  replaceRecoveryCodes(accountId: string, hashes: readonly Uint8Array[]): Promise<void>;
  /** Uses it up. False where there is none: exactly one of many callers wins. */
  useRecoveryCode(accountId: string, hash: Uint8Array): Promise<boolean>;
  /** Every factor and recovery code of an account, and its sessions. */
  reset(accountId: string): Promise<void>;
}

/** A sign-in that waits for its second factor, or what a passkey is asked for. */
export type StepKind =
  "second_factor" | "passkey_sign_in" | "passkey_second_factor" | "passkey_confirm" | "passkey_add";

export interface SignInStep {
  kind: StepKind;
  /** Of a random token. */
  hash: Uint8Array;
  /** Null where it is not known yet who signs in. */
  accountId: string | null;
  expiresAt: Date;
}

export interface StepStore {
  create(step: SignInStep): Promise<void>;
  /** Null when unknown, used or expired. */
  find(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null>;
  /** The same, and uses it up: exactly one of many callers gets it. */
  take(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null>;
  prune(now: Date): Promise<void>;
}

/** The codes of authenticator apps. */
export interface TotpCodes {
  /** As base32. */
  newSecret(): Promise<string>;
  /** What apps read from a QR code. */
  address(secret: string, of: { issuer: string; email: string }): Promise<string>;
  /** Which step of time the code belongs to: the one of `at`, or one beside it. Null for another code. */
  stepOf(secret: string, code: string, at: Date): Promise<number | null>;
}

/** Whom passkeys belong to: the service, by its address. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** What a browser answers, as WebAuthn writes it in JSON. */
interface CredentialAnswer<Response> {
  id: string;
  rawId: string;
  type: "public-key";
  response: Response & { clientDataJSON: string };
}
export type NewPasskeyAnswer = CredentialAnswer<{ attestationObject: string; transports?: string[] }>;
export type PasskeyAnswer = CredentialAnswer<{
  authenticatorData: string;
  signature: string;
  userHandle?: string | null | undefined;
}>;

/** What a browser is given. Only its library reads it. */
export type PasskeyOptions = object;

export interface WebAuthn {
  addOptions(
    party: RelyingParty,
    ask: { challenge: string; owner: { id: string; email: string }; name: string; known: readonly Passkey[] },
  ): Promise<PasskeyOptions>;
  /** Null for an answer that is not valid. */
  verifyNew(
    party: RelyingParty,
    answer: NewPasskeyAnswer,
    challenge: string,
  ): Promise<Omit<Passkey, "accountId" | "name" | "createdAt" | "lastUsedAt"> | null>;
  /** `allowed` is null where any passkey of the service may answer. */
  useOptions(
    party: RelyingParty,
    ask: { challenge: string; allowed: readonly Passkey[] | null },
  ): Promise<PasskeyOptions>;
  /**
   * Null for an answer that is not valid, or whose counter went back, as that of a copied key does. `verifiesUser`: the
   * device must have asked for a PIN or a biometric.
   */
  verifyUse(
    party: RelyingParty,
    answer: PasskeyAnswer,
    ask: { challenge: string; passkey: Passkey; verifiesUser: boolean },
  ): Promise<{ counter: number; isSynced: boolean } | null>;
}
