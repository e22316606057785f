/**
 * What accounts with a dashboard need from the store beside `Store`, split by concern. The same promises
 * hold: every method rejects when the database cannot be reached, emails compare without regard to case,
 * times are whole milliseconds. Secrets are stored as SHA-256 and found by it.
 */
import type { ModelId } from "./models.js";
import type { ServiceStore } from "./operator/operator-ports.js";
import type { ChangeStore } from "./replicas/changes.js";
import type { UsageCounts, UsageShare } from "./usage/usage-counts.js";
import type { Account, Plan, Role, Store } from "./ports.js";

/** Everything that the store keeps. */
export interface FullStore extends Store {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
  readonly usage: UsageStore;
  readonly quotas: QuotaStore;
  readonly news: NewsStore;
  readonly audit: AuditStore;
  readonly stored: StoredStore;
  readonly service: ServiceStore;
  readonly changes: ChangeStore;
}

// --------------------------------------------------------------------------------------------- accounts

export interface Credentials {
  account: Account;
  /** Null for an account that nobody can sign in to. */
  passwordHash: string | null;
}

/** A line of the operator's list. */
export interface AccountSummary {
  account: Account;
  /** How many of its keys have neither expired nor been revoked. */
  liveKeys: number;
  lastUsedAt: Date | null;
}

export interface AccountStore {
  findAccount(id: string): Promise<Account | null>;
  findCredentials(email: string): Promise<Credentials | null>;
  findCredentialsById(id: string): Promise<Credentials | null>;
  /**
   * Sets the password and, in the same transaction, ends every session of the account but `keepSession`, and
   * the earlier reset links.
   */
  setPassword(id: string, passwordHash: string, keepSession: Uint8Array | null): Promise<void>;
  hasAdmin(): Promise<boolean>;
  /**
   * `search` is part of an email or the beginning of an id; empty for all. Those that begin with it come first, then
   * the newest. `next` continues where the page ends; null on the last one. A page may have fewer accounts than
   * `limit`, also none, and others follow. Null when `after` is no `next` of such a search.
   */
  searchAccounts(
    search: string,
    page: { after: string | null; limit: number },
    now: Date,
  ): Promise<{ accounts: AccountSummary[]; next: string | null } | null>;
  countAccounts(): Promise<number>;
  /** In the order of `ids`; those that do not exist are left out. */
  findSummaries(ids: readonly string[], now: Date): Promise<AccountSummary[]>;
  findSummary(id: string, now: Date): Promise<AccountSummary | null>;
  /** Oldest first, those after `after`: for reading all of them page by page. */
  listSummaries(after: Account | null, limit: number, now: Date): Promise<AccountSummary[]>;

  // The next three do nothing and say false when the account is the last admin that can act, also when two
  // admins try it on each other at once.
  setRole(id: string, role: Role): Promise<boolean>;
  /** Also ends its sessions and its reset links. */
  suspend(id: string, at: Date): Promise<boolean>;
  /** With everything that belongs to it; the audit trail keeps what it did to others, without its id. */
  remove(id: string): Promise<boolean>;

  /** How many accounts are on each plan; plans without any may be missing. */
  countByPlan(): Promise<ReadonlyMap<string, number>>;
  /** False while accounts are on it. */
  deletePlan(id: string): Promise<boolean>;
  /** Null enables it. */
  setKeyDisabled(id: string, at: Date | null): Promise<void>;
}

// --------------------------------------------------------------------------------------------- sessions

export interface Session {
  hash: Uint8Array;
  accountId: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** When it ends however much it is used. */
  expiresAt: Date;
}

/** A session with what is needed to serve it, read in one query. */
export interface SessionRecord {
  session: Session;
  account: Account;
  plan: Plan;
}

export interface SessionStore {
  create(session: Session): Promise<void>;
  /** Finds ended ones too: judging them is the caller's. */
  find(hash: Uint8Array): Promise<SessionRecord | null>;
  touch(hash: Uint8Array, at: Date): Promise<void>;
  end(hash: Uint8Array): Promise<void>;
  /** The one that was used last first; ended ones too. */
  list(accountId: string, limit: number): Promise<Session[]>;
  /** Ends all sessions of an account but `keep`. */
  endAll(accountId: string, keep: Uint8Array | null): Promise<void>;
  /** Removes those that ended before `now` or were last seen before `idleSince`. */
  prune(now: Date, idleSince: Date): Promise<void>;
}

// ----------------------------------------------------------------------------------------- one-time links

export type LinkKind = "setup" | "reset" | "invite";

export interface NewLink {
  kind: LinkKind;
  hash: Uint8Array;
  /** Whose password a reset link sets. */
  accountId: string | null;
  /** SHA-256 of the address that an invitation is for; null for any. */
  emailHash: Uint8Array | null;
  /** The same address in clear, for the list of pending invitations. */
  email?: string | null;
  /** The plan of the account that an invitation creates; absent or null for the default one. */
  planId?: string | null;
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
   * Uses up a reset link: sets the password, ends all sessions and all other reset links of the account. Null
   * when the link does not work (any more).
   */
  resetPassword(hash: Uint8Array, now: Date, passwordHash: string): Promise<Account | null>;
  prune(now: Date): Promise<void>;
}

// ------------------------------------------------------------------------------------------------ usage

export type { UsageCounts, UsageShare };

/** What one key did with one model in one hour, or in a longer step when read. */
export interface UsageBucketRow extends UsageCounts {
  accountId: string;
  keyId: string;
  /** Null for requests that were refused before their body, which names it, was read. */
  model: ModelId | null;
  start: Date;
}

export interface UsageFilter {
  accountId: string;
  /** From this time on. */
  from: Date;
  /** Before this time. */
  to: Date;
  keyId?: string | undefined;
  model?: ModelId | undefined;
}

export interface UsageStore {
  /**
   * Adds to the buckets in one transaction. What belongs to accounts that do not exist is left out. A batch with an
   * id is added once, however often it is tried: a connection that breaks may leave open whether it was. Those in
   * `done` will not be tried again.
   */
  add(
    rows: readonly UsageBucketRow[],
    batch?: { id: string; done: readonly string[] },
    days?: readonly QuotaDay[],
  ): Promise<void>;
  /** These ids will not be tried again. */
  forgetBatches(ids: readonly string[]): Promise<void>;
  /** Summed up by step, key and model; by time. `stepMs` is an hour or a multiple of it, counted from 1970. */
  read(filter: UsageFilter, stepMs: number): Promise<UsageBucketRow[]>;
  /** Summed up by step; by time. */
  readByTime(filter: UsageFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]>;
  readByKey(filter: UsageFilter): Promise<(UsageShare & { keyId: string })[]>;
  readByModel(filter: UsageFilter): Promise<(UsageShare & { model: ModelId | null })[]>;
  /** Removes buckets, and ids of batches that nobody asked to forget. */
  prune(before: Date): Promise<void>;
}

/** Counts that are added together. */
export interface UsageBatch {
  id: string;
  rows: readonly UsageBucketRow[];
  days: readonly QuotaDay[];
}

/**
 * Where counts that the store did not take wait for the next start of this server. Synchronous, since a process
 * may have no more time than that. Every method throws when it cannot be done.
 */
export interface UsageSpill {
  load(): UsageBatch[];
  /** In place of what was saved before. */
  save(batches: readonly UsageBatch[]): void;
  clear(): void;
}

// ----------------------------------------------------------------------------------------------- quotas

export interface QuotaUse {
  requests: number;
  tokens: number;
}

/** What one key used on one day of the calendar that quotas follow. */
export interface QuotaDay extends QuotaUse {
  accountId: string;
  keyId: string;
  /** `2026-11-16` */
  day: string;
}

/** Written with usage (`UsageStore.add`), so that each is added once. */
export interface QuotaStore {
  /** On days that begin with `days`, by one key or by all of the account's. */
  used(accountId: string, keyId: string | null, days: string): Promise<QuotaUse>;
  /** True for exactly one of many callers. */
  claimWarning(accountId: string, name: string, at: Date): Promise<boolean>;
  /** Removes days before this one, and warnings before this time. */
  prune(beforeDay: string, before: Date): Promise<void>;
}

// ------------------------------------------------------------------------------------------------- news

export interface ChangelogItem {
  id: string;
  title: string;
  body: string;
  publishedAt: Date;
  updatedAt: Date;
}

export interface MaintenanceWindow {
  id: string;
  title: string;
  body: string;
  startsAt: Date;
  endsAt: Date;
  /** When it was ended before its time. */
  endedAt: Date | null;
  publishedAt: Date;
  updatedAt: Date;
}

export interface NewsStore {
  /** Newest first. */
  listItems(limit: number): Promise<ChangelogItem[]>;
  createItem(item: ChangelogItem): Promise<void>;
  /** Null when there is none. */
  updateItem(
    id: string,
    change: Pick<ChangelogItem, "title" | "body" | "updatedAt">,
  ): Promise<ChangelogItem | null>;
  /** False when there is none. */
  deleteItem(id: string): Promise<boolean>;

  /** Latest start first. */
  listWindows(limit: number): Promise<MaintenanceWindow[]>;
  /** Those that end after `now`, the earliest start first. */
  listCurrentWindows(now: Date): Promise<MaintenanceWindow[]>;
  findWindow(id: string): Promise<MaintenanceWindow | null>;
  createWindow(window: MaintenanceWindow): Promise<void>;
  /** Null, and nothing is changed, when there is none or it has begun or was called off. */
  updatePlannedWindow(
    id: string,
    change: Pick<MaintenanceWindow, "title" | "body" | "startsAt" | "endsAt">,
    now: Date,
  ): Promise<MaintenanceWindow | null>;
  /** Ends it at `at`; a window that is over already stays as it is. */
  endWindow(id: string, at: Date): Promise<void>;
}

// ------------------------------------------------------------------------------------------- audit trail

/** A line as it is kept: ids, never addresses; of what was deleted not even those. */
export interface AuditRecord {
  id: string;
  at: Date;
  /** An account's id, `command line`, or `deleted account`. */
  actor: string;
  action: string;
  target: string;
}

export interface AuditLine extends AuditRecord {
  /** Null when the actor is no account, or none that still exists. */
  actorEmail: string | null;
  targetEmail: string | null;
  /** What the target is called, when it is a key that exists. */
  targetKey: { name: string; lastFour: string; accountId: string; ownerEmail: string | null } | null;
}

/** All that are given must hold. */
export interface AuditFilter {
  /** As in the record. */
  actor?: string | undefined;
  action?: string | undefined;
  /** From this time on, and before that one. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** What an account did, and what was done to it or its keys. */
  account?: string | undefined;
}

export interface AuditStore {
  add(record: Omit<AuditRecord, "id">): Promise<void>;
  /** Newest first; from the one after `before` on. */
  list(before: string | null, limit: number, filter?: AuditFilter): Promise<AuditLine[]>;
  prune(before: Date): Promise<void>;
  /** Takes the ids of accounts and keys that are gone out of the lines written since. */
  forgetDeleted(since: Date): Promise<void>;
}

// ------------------------------------------------------------------------------- what is stored about one

export interface StoredPage {
  /** As they are, but for hashes, which are named and not shown. */
  rows: Record<string, string | number | null>[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

export interface StoredStore {
  /** Every table that can have rows that belong to an account or name it. */
  readonly tables: readonly string[];
  /**
   * The rows of one table that belong to the account or name it, the newest first and at most `limit`. Null
   * when there is no such table or `after` is no `next` of one of its pages.
   */
  read(accountId: string, table: string, after: string | null, limit: number): Promise<StoredPage | null>;
}
