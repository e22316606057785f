/** What accounts need from the store besides `Store`. */
import type { Account, Role } from "../entities.js";
import type { KeySwitch } from "../keys/own-keys.js";
import type { CredentialStore } from "../sign-in/ports.js";
import type { StoredRows } from "./stored-views.js";

/** A row of the admins' list of accounts. */
export interface AccountSummary {
  account: Account;
  /** False for one without a password or a linked identity: its keys are managed on the command line. */
  canSignIn: boolean;
  /** How many of its keys have neither expired nor been revoked. */
  liveKeys: number;
  lastUsedAt: Date | null;
}

export interface AccountStore extends CredentialStore, KeySwitch {
  findAccount(id: string): Promise<Account | null>;
  hasAdmin(): Promise<boolean>;
  /**
   * `search` is part of an email or the beginning of an id; empty for all. Those that begin with it come first, then
   * the newest. `next` continues where the page ends; null on the last one. A page may have fewer accounts than
   * `limit`, also none, and others follow. Teams are none of them, here and below. Null when `after` is no `next` of such a search.
   */
  searchAccounts(
    search: string,
    page: { after: string | null; limit: number },
    now: Date,
  ): Promise<{ accounts: AccountSummary[]; next: string | null } | null>;
  countAccounts(): Promise<number>;
  /**
   * Without verification; its links stop working. Rejects with `DuplicateEmail`; null when there is no such account.
   */
  setEmail(id: string, email: string): Promise<Account | null>;
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
  /**
   * With everything that belongs to it; the audit trail keeps what it did to others, without its id. Rejects with
   * `OnlyOwner` where teams would be left without an owner.
   */
  remove(id: string): Promise<boolean>;

  /** How many accounts are on each plan; plans without any may be missing. */
  countByPlan(): Promise<ReadonlyMap<string, number>>;
  /** False while accounts are on it. */
  deletePlan(id: string): Promise<boolean>;
}

export interface StoredStore {
  /** Every table that can have rows that belong to an account or name it. */
  readonly tables: readonly string[];
  /**
   * The rows of one table that belong to the account or name it, the newest first and at most `limit`. Null
   * when there is no such table or `after` is no `next` of one of its pages.
   */
  read(accountId: string, table: string, after: string | null, limit: number): Promise<StoredRows | null>;
}
