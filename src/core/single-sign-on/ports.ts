/** What single sign-on needs from the store, and from a library that speaks OpenID Connect. */
import type { Account } from "../entities.js";
import type { SessionOrigin } from "../sign-in/ports.js";
import type { Provider } from "./provider.js";

/** Someone at a provider. `issuer` and `subject` together never change and are never given to another. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** An identity that signs in to an account. */
export interface LinkedIdentity extends Identity {
  id: string;
  accountId: string;
  providerId: string;
  createdAt: Date;
  lastUsedAt: Date;
}

/** What a provider said about someone who has just signed in there, verified. */
export interface ProvenIdentity extends Identity {
  /** The provider's own session, by which it tells of logouts; null where it does not name one. */
  sid: string | null;
  email: string | null;
  isEmailVerified: boolean;
  /** Null where the provider has left them out, and it is not known whether there are any. */
  groups: readonly string[] | null;
}

/**
 * A sign-in under way. The browser holds a random token in a cookie; state, nonce and PKCE verifier are derived from it
 * (`round-secrets.ts`), so that nothing in this row helps anyone who reads it.
 */
export interface Round {
  /** SHA-256 of the token. */
  hash: Uint8Array;
  providerId: string;
  /**
   * `join`: the provider has answered, and the password of an account is asked for. `confirm`: someone who is signed in
   * proves again who they are, so the provider must ask, whether or not they are signed in there.
   */
  purpose: "sign_in" | "link" | "join" | "confirm";
  /** Whose account it is; null for signing in. */
  accountId: string | null;
  /** The page of ours to open afterwards. */
  next: string;
  /** An invitation that allows an account to be created; null for none. */
  inviteHash: Uint8Array | null;
  /** Who joins; null for the other purposes. */
  identity: ProvenIdentity | null;
  expiresAt: Date;
}

export interface NewProviderAccount {
  email: string;
  isEmailVerified: boolean;
  planId: string;
  inviteHash: Uint8Array | null;
}

export interface SingleSignOnStore {
  /** Removes expired rounds first. False, and nothing is done, while `most` are under way. */
  begin(round: Round, now: Date, most: number): Promise<boolean>;
  /** Looks without using it up. Null when unknown, used or expired. */
  findRound(hash: Uint8Array, now: Date): Promise<Round | null>;
  /** The same, and uses it up: exactly one of many callers gets it. */
  takeRound(hash: Uint8Array, now: Date): Promise<Round | null>;

  findAccount(identity: Identity): Promise<Account | null>;
  /** Oldest first. */
  listIdentities(accountId: string): Promise<LinkedIdentity[]>;
  /** False when the identity is linked already, to whomever. */
  link(accountId: string, providerId: string, identity: Identity, now: Date): Promise<boolean>;
  noteUse(identity: Identity, now: Date): Promise<void>;
  /**
   * Does nothing and says `last` for the only identity of an account that has no password, or may not use it, also for
   * two concurrent calls; `none` when the account has no such identity.
   */
  unlink(accountId: string, id: string, mayUsePassword: boolean): Promise<"done" | "last" | "none">;
  /**
   * An account without a password, linked: both or neither. Uses up the invitation and gives its plan; null when that
   * was used, revoked or has expired. Rejects with `DuplicateEmail`.
   */
  createAccount(
    account: NewProviderAccount,
    providerId: string,
    identity: Identity,
    now: Date,
  ): Promise<Account | null>;

  /**
   * The account that SCIM created for this person and that nobody has signed in to yet: the one whose external id is the
   * subject, or else the one with the address. Null where there is none, or more than one.
   */
  findProvisioned(subject: string, verifiedEmail: string | null): Promise<Account | null>;
  /** Whether SCIM manages the account. */
  isProvisioned(accountId: string): Promise<boolean>;

  findOrigin(sessionHash: Uint8Array): Promise<SessionOrigin | null>;
  /** Ends the sessions that a session of the provider began. Returns whose they were. */
  endSessionsOf(issuer: string, sid: string): Promise<string[]>;
  /** Whether somebody has claimed this logout token. */
  isLogoutClaimed(hash: Uint8Array): Promise<boolean>;
  /** True for the first of all callers with this logout token. */
  claimLogout(hash: Uint8Array, expiresAt: Date): Promise<boolean>;
  prune(now: Date): Promise<void>;
}

/** What a browser is sent to the provider with. */
export interface RoundSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

export interface RoundRequest extends RoundSecrets {
  redirectUri: string;
  asksAgain: boolean;
}

export interface LogoutClaims {
  issuer: string;
  subject: string | null;
  sid: string | null;
  jti: string;
  expiresAt: Date;
}

/** What a provider says about itself. */
export interface ProviderFacts {
  issuer: string;
  /** It can end its own session when someone signs out here. */
  hasLogout: boolean;
  /** It tells of logouts. */
  hasBackChannelLogout: boolean;
}

/** A provider did not do its part. The message is a sentence for the operator, without anything secret. */
export class ProviderFailure extends Error {
  constructor(
    /** `refused`: it says no to the person. `invalid`: its answer is wrong, forged or too old. */
    readonly kind: "unreachable" | "refused" | "invalid",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ProviderFailure";
  }
}

/** Every method rejects with `ProviderFailure`, within seconds: time and size of every answer are limited. */
export interface OidcClient {
  /** Where to send the browser. */
  authorizationUrl(provider: Provider, round: RoundRequest): Promise<string>;
  /** Redeems the code in `query`, which came back with the browser, and verifies who signed in. */
  redeem(provider: Provider, round: RoundRequest, query: string): Promise<ProvenIdentity>;
  /** Verifies a logout token; that it was not used before is the caller's to check. */
  verifyLogout(provider: Provider, token: string): Promise<LogoutClaims>;
  /** Where a browser ends the provider's own session; null where it cannot. */
  endSessionUrl(provider: Provider, returnTo: string): Promise<string | null>;
  /** Reads its metadata and keys again, and tries the client id and secret. */
  check(provider: Provider, redirectUri: string): Promise<ProviderFacts>;
  close(): Promise<void>;
}
