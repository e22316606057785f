/** What signing in needs from the store. Secrets are stored as SHA-256 and found by it. */
import type { Account, Plan, TeamRole } from "../entities.js";

export interface Credentials {
  account: Account;
  /** Null for an account that nobody can sign in to. */
  passwordHash: string | null;
}

export interface CredentialStore {
  findCredentials(email: string): Promise<Credentials | null>;
  findCredentialsById(id: string): Promise<Credentials | null>;
  /**
   * Sets the password and, in the same transaction, ends every session of the account but `keepSession`, and
   * the earlier reset links.
   */
  setPassword(id: string, passwordHash: string, keepSession: Uint8Array | null): Promise<void>;
}

/** How someone proved who they are; `link`: the operator, at the command line. */
export type SessionMethod = "password" | "passkey" | "oidc" | "link";

export interface Session {
  hash: Uint8Array;
  accountId: string;
  method: SessionMethod;
  /** The kind of browser, see `device-label.ts`. */
  device: string | null;
  createdAt: Date;
  /** When it was last proved who is signed in. */
  confirmedAt: Date;
  lastSeenAt: Date;
  /** When it ends however much it is used. */
  expiresAt: Date;
}

/** The session at an identity provider that a session here was begun by. */
export interface SessionOrigin {
  providerId: string;
  issuer: string;
  subject: string;
  /** Identifies the session in back-channel logouts; null where the provider does not send it. */
  sid: string | null;
}

/** A session with what is needed to serve it, read in one query. */
export interface SessionRecord {
  session: Session;
  account: Account;
  plan: Plan;
  /** Whether the account has a second factor. */
  hasFactor: boolean;
  /** When the first of its teams requires one; null where none does. */
  teamFactorBy: Date | null;
}

export interface SessionStore {
  /** Both or neither, so that a logout at the provider misses no session. */
  create(session: Session, origin?: SessionOrigin | null): Promise<void>;
  /** Finds ended ones too: judging them is the caller's. */
  find(hash: Uint8Array): Promise<SessionRecord | null>;
  touch(hash: Uint8Array, at: Date): Promise<void>;
  noteConfirmed(hash: Uint8Array, at: Date): Promise<void>;
  end(hash: Uint8Array): Promise<void>;
  /** The one that was used last first; ended ones too. */
  list(accountId: string, limit: number): Promise<Session[]>;
  /** Ends all sessions of an account but `keep`. */
  endAll(accountId: string, keep: Uint8Array | null): Promise<void>;
  /** Removes those that ended before `now` or were last seen before `idleSince`. */
  prune(now: Date, idleSince: Date): Promise<void>;
}

/** Asked for by the owner of an account: to verify its address, or to change it. */
export type OwnLinkKind = "verify" | "change_from";
/** `team`: an invitation into a team, for someone who has an account. */
export type LinkKind = OwnLinkKind | "setup" | "reset" | "invite" | "change_to" | "sign_in" | "team";

export interface NewLink {
  kind: LinkKind;
  hash: Uint8Array;
  /** Whose password or address it is about, who a sign-in link signs in, or who invites into a team. */
  accountId: string | null;
  /** SHA-256 of the address that an invitation is for; null for any. */
  emailHash: Uint8Array | null;
  /** The same address in clear, for the list of pending invitations; or the new address of an account. */
  email?: string | null;
  /** The plan of the account that an invitation creates; absent or null for the default one. */
  planId?: string | null;
  /** The team that an invitation is to, and the role in it. */
  team?: { id: string; role: TeamRole };
  createdAt: Date;
  expiresAt: Date;
}

/** What becomes of the link's row and what it is for happen in one transaction: both or neither. */
export interface LinkStore {
  create(link: NewLink): Promise<void>;
  /** Does nothing and says false while an admin exists or a set-up link that still works: exactly one wins. */
  createSetup(link: NewLink): Promise<boolean>;
  /** Looks without using it up. Null when unknown, used or expired. */
  find(kind: LinkKind, hash: Uint8Array, now: Date): Promise<NewLink | null>;
  /**
   * Uses up a set-up link or an invitation and creates the account. Null when the link does not work (any
   * more), or is for setting up and an admin exists. The plan is that of the link where it has one. Rejects with `DuplicateEmail` when the address is taken;
   * the link keeps working then. Exactly one of many callers succeeds.
   */
  createAccount(
    kind: "setup" | "invite",
    hash: Uint8Array,
    now: Date,
    account: { email: string; passwordHash: string; planId: string },
  ): Promise<Account | null>;
  /** Invitations that were not used and have not expired, newest first. */
  listInvites(now: Date, limit: number): Promise<NewLink[]>;
  /** False when there is no such invitation (any more). */
  revokeInvite(hash: Uint8Array): Promise<boolean>;
  /**
   * Uses up a reset link: sets the password, ends all sessions and all other reset links of the account, and its links to
   * identity providers where the address was never verified: whoever signed up with it may have been someone else. Null
   * when the link does not work (any more).
   */
  resetPassword(hash: Uint8Array, now: Date, passwordHash: string): Promise<Account | null>;
  /** Creates a link about an account; the earlier ones of its kind stop working. */
  replaceOwn(link: NewLink & { accountId: string; kind: OwnLinkKind }): Promise<void>;
  deleteOwn(accountId: string, kind: OwnLinkKind): Promise<void>;
  /** Uses up a link and marks the address as verified. Null when the link does not work (any more). */
  verifyEmail(hash: Uint8Array, now: Date): Promise<Account | null>;
  /** The change of address that waits: `change_from` for the present address, then `change_to` for the new one. */
  findEmailChange(accountId: string, now: Date): Promise<NewLink | null>;
  /**
   * Uses up the link that the present address got, and replaces it with the one for the new address, which is returned.
   * Null when the link does not work (any more).
   */
  agreeToEmailChange(
    hash: Uint8Array,
    now: Date,
    next: Pick<NewLink, "hash" | "expiresAt">,
  ): Promise<NewLink | null>;
  /**
   * Uses up the link that the new address got: the account has it from now on, verified. Null when the link does not
   * work (any more). Rejects with `DuplicateEmail` when the address was taken meanwhile.
   */
  changeEmail(hash: Uint8Array, now: Date): Promise<Account | null>;
  /** Uses up a sign-in link. Null when it does not work (any more) or its account is suspended. */
  signIn(hash: Uint8Array, now: Date): Promise<Account | null>;
  prune(now: Date): Promise<void>;
}
