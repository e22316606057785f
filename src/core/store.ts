/** Accounts, keys, plans and settings in the database. Areas with rows of their own have them in their `ports.ts`. */
import type { ModelId } from "./models.js";
import type { Account, ApiKey, KeyRecord, Plan, Role } from "./entities.js";

/** What its owner can change about a key that exists. */
export type KeyChange = Pick<ApiKey, "name" | "models" | "limits" | "expiresAt" | "tags" | "allowFrom">;

/** That a key was used, at a time and, where it is known, with a model. */
export interface KeyUse {
  at: Date;
  model: ModelId | null;
}

export interface NewAccount {
  email: string;
  /** An argon2id string, or null for an account that can only be used from the command line. */
  passwordHash: string | null;
  role: Role;
  planId: string;
}

export type NewKey = Pick<
  ApiKey,
  "accountId" | "name" | "lastFour" | "models" | "operations" | "limits" | "expiresAt"
> &
  Partial<Pick<ApiKey, "tags" | "allowFrom" | "memberId" | "scopes">> & { hash: Uint8Array };

/**
 * The rows. Every method rejects with `StoreUnavailable` when the database cannot be reached or cannot be
 * written to; none returns a guess. Changes that running servers must learn of (see `changes.ts`) are
 * appended in the same transaction.
 * Emails compare without regard to case. Times are whole milliseconds.
 */
export interface Store {
  /** Rejects with `DuplicateEmail` when the address is taken, also for two concurrent calls. */
  createAccount(account: NewAccount): Promise<Account>;
  findAccountByEmail(email: string): Promise<Account | null>;
  listAccounts(): Promise<Account[]>;
  /** A time also ends its sessions and its reset links, in the same transaction. */
  setAccountSuspended(id: string, suspendedAt: Date | null): Promise<void>;
  setAccountPlan(id: string, planId: string): Promise<void>;
  /** Removes the account with everything that belongs to it; see `AccountStore.remove`. Rejects with `OnlyOwner`. */
  deleteAccount(id: string): Promise<void>;

  listPlans(): Promise<Plan[]>;
  findPlan(id: string): Promise<Plan | null>;
  /** Creates the plan or replaces it. */
  putPlan(plan: Plan): Promise<void>;

  /** A member's key works while the membership lasts. */
  createKey(key: NewKey): Promise<ApiKey>;
  /** Finds live, expired and revoked keys alike: checking them is the caller's responsibility. */
  findKeyByHash(hash: Uint8Array): Promise<KeyRecord | null>;
  findKeyRecord(id: string): Promise<KeyRecord | null>;
  findKey(id: string): Promise<ApiKey | null>;
  listKeys(accountId: string): Promise<ApiKey[]>;
  /** The newest first; from the one after `after` on, which need not exist any more. Of one member of a team, or all. */
  pageOfKeys(
    accountId: string,
    after: Pick<ApiKey, "id" | "createdAt"> | null,
    limit: number,
    memberId?: string | null,
  ): Promise<ApiKey[]>;
  /** From `at` on the key is refused. Never moves an earlier revocation to a later time. */
  revokeKey(id: string, at: Date): Promise<void>;
  /**
   * Creates `replacement`, which notes what it replaces, and revokes the key at `endsAt`, both or neither. Null, and nothing is done, when
   * the key does not exist or is already revoked: of concurrent callers exactly one succeeds.
   */
  rotateKey(id: string, endsAt: Date, replacement: NewKey): Promise<{ key: ApiKey; replaced: ApiKey } | null>;
  /** Null when there is no such key. */
  updateKey(id: string, change: KeyChange): Promise<ApiKey | null>;
  /**
   * Writes the days of last use in one transaction, with the model; unknown ids are ignored. A day only moves forward.
   * A use without a model leaves the model that is there.
   */
  touchKeys(lastUsed: ReadonlyMap<string, KeyUse>): Promise<void>;

  getSetting(name: string): Promise<string | null>;
  /** Sets it only if absent, and returns what is stored: exactly one of many callers wins. */
  initSetting(name: string, value: string): Promise<string>;
  setSetting(name: string, value: string): Promise<void>;
  deleteSetting(name: string): Promise<void>;
  listSettingNames(prefix: string): Promise<string[]>;

  /**
   * Removes what is left of deleted and changed rows in the files of an embedded database, unless another process
   * is reading it. Deleting an account and changing an address do so themselves.
   */
  eraseTraces(): Promise<void>;
  /** A cheap query: whether the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown where an account is created or gets another address. */
export class DuplicateEmail extends Error {
  constructor() {
    super("An account with this email address exists already.");
    this.name = "DuplicateEmail";
  }
}

/** Thrown where an account would be deleted that is the only owner of teams. */
export class OnlyOwner extends Error {
  constructor(readonly teams: readonly string[]) {
    const names = teams.map((name) => `'${name}'`).join(", ");
    super(
      `This account is the only owner of ${teams.length === 1 ? "the team" : "the teams"} ${names}. Make another member an owner, or delete the team, first.`,
    );
    this.name = "OnlyOwner";
  }
}

/** The database is unreachable, too slow, or out of disk space. Trying again later may work. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super("The database cannot be reached or cannot be written to right now.", { cause });
    this.name = "StoreUnavailable";
  }
}
