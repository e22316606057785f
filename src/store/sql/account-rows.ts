/**
 * Accounts as the dashboard needs them, in SQL.
 *
 * Every change that demotes or removes an admin first locks one shared row, then counts the remaining admins. Without
 * the lock two concurrent changes could each see the other admin, and remove both.
 */
import { sql, type Kysely, type Transaction } from "kysely";
import type { ChangeKind } from "../../core/replicas/changes.js";
import type { AccountStore, AccountSummary } from "../../core/accounts/ports.js";
import type { Credentials } from "../../core/sign-in/ports.js";
import { newId } from "../../core/keys/ids.js";
import { DuplicateEmail, type NewAccount } from "../../core/store.js";
import type { Account, Role } from "../../core/entities.js";
import { endAccess, removeAccount } from "./account-removal.js";
import { AccountSearch } from "./account-search.js";
import { addRow, countRows, findRow, updateRow } from "./by-columns.js";
import type { SqlChanges } from "./change-rows.js";
import { toAccount } from "./rows.js";
import type { AccountRow, Schema } from "./schema.js";
import { endSessions } from "./session-rows.js";

export class SqlAccounts implements AccountStore {
  readonly #search: AccountSearch;

  constructor(
    private readonly db: Kysely<Schema>,
    private readonly changes: SqlChanges,
    private readonly options: { locksRows: boolean; eraseTraces: () => Promise<void> },
  ) {
    // Postgres, which locks rows, compares text by collation; SQLite compares bytes.
    this.#search = new AccountSearch(db, !options.locksRows);
  }

  async findAccount(id: string): Promise<Account | null> {
    return (await this.findCredentialsById(id))?.account ?? null;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    const person = { email_lower: email.toLowerCase(), kind: "person" } as const;
    return toCredentials(await findRow(this.db, "accounts", person));
  }

  async findCredentialsById(id: string): Promise<Credentials | null> {
    return toCredentials(await findRow(this.db, "accounts", { id }));
  }

  async setPassword(id: string, passwordHash: string, keepSession: Uint8Array | null): Promise<void> {
    await this.changes.with("sessions_ended", id, async (transaction) => {
      await updateRow(transaction, "accounts", { id }, { password_hash: passwordHash });
      await endSessions(transaction, id, keepSession);
      await deleteCredentialLinks(transaction, id);
    });
  }

  async setEmail(id: string, email: string): Promise<Account | null> {
    const account = await this.changes.with("account_changed", id, (transaction) =>
      updateEmail(transaction, id, email, null),
    );
    await this.options.eraseTraces();
    return account;
  }

  hasAdmin(): Promise<boolean> {
    return hasAdmin(this.db);
  }

  async searchAccounts(
    search: string,
    { after, limit }: { after: string | null; limit: number },
    now: Date,
  ): Promise<{ accounts: AccountSummary[]; next: string | null } | null> {
    const found = await this.#search.page(search, after, limit);
    if (found === null) return null;
    return { accounts: await this.findSummaries(found.ids, now), next: found.next };
  }

  async countAccounts(): Promise<number> {
    return (await countRows(this.db, "accounts")) - (await countRows(this.db, "teams"));
  }

  async findSummaries(ids: readonly string[], now: Date): Promise<AccountSummary[]> {
    if (ids.length === 0) return [];
    const rows = await this.#summaries(now).where("accounts.id", "in", ids).execute();
    const byId = new Map(rows.map((row) => [row.id, toSummary(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async listSummaries(after: Account | null, limit: number, now: Date): Promise<AccountSummary[]> {
    let query = this.#summaries(now);
    if (after !== null)
      query = query.where(sql<boolean>`(created_at, id) > (${after.createdAt.getTime()}, ${after.id})`);
    const rows = await query.orderBy("created_at").orderBy("id").limit(limit).execute();
    return rows.map(toSummary);
  }

  async findSummary(id: string, now: Date): Promise<AccountSummary | null> {
    const [summary] = await this.findSummaries([id], now);
    return summary ?? null;
  }

  setRole(id: string, role: Role): Promise<boolean> {
    return this.#unlessLastAdmin(id, "account_changed", role === "user", async (transaction) => {
      await updateRow(transaction, "accounts", { id }, { role });
    });
  }

  suspend(id: string, at: Date): Promise<boolean> {
    return this.#unlessLastAdmin(id, "account_ended", true, async (transaction) => {
      await updateRow(transaction, "accounts", { id, suspended_at: null }, { suspended_at: at.getTime() });
      await endAccess(transaction, id);
    });
  }

  async remove(id: string): Promise<boolean> {
    const isRemoved = await this.#unlessLastAdmin(id, "account_ended", true, (transaction) =>
      removeAccount(transaction, id),
    );
    if (isRemoved) await this.options.eraseTraces();
    return isRemoved;
  }

  async countByPlan(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.db
      .selectFrom("accounts")
      .select((select) => ["plan_id", select.fn.countAll<number>().as("accounts")])
      .groupBy("plan_id")
      .execute();
    return new Map(rows.map((row) => [row.plan_id, row.accounts]));
  }

  async deletePlan(id: string): Promise<boolean> {
    const isUsed = this.db.selectFrom("accounts").select("id").where("plan_id", "=", id);
    await this.changes.with("plans_changed", id, (transaction) =>
      transaction
        .deleteFrom("plans")
        .where("id", "=", id)
        .where((where) => where.not(where.exists(isUsed)))
        .execute(),
    );
    return (await findRow(this.db, "plans", { id })) === undefined;
  }

  async setKeyDisabled(id: string, at: Date | null): Promise<void> {
    const disabled_at = at?.getTime() ?? null;
    await this.changes.with(at === null ? "key_changed" : "key_ended", id, (transaction) =>
      updateRow(transaction, "keys", { id }, { disabled_at }),
    );
  }

  async restoreKey(id: string): Promise<void> {
    await this.changes.with("key_changed", id, (transaction) =>
      updateRow(transaction, "keys", { id }, { revoked_at: null }),
    );
  }

  #summaries(now: Date) {
    const nowMs = now.getTime();
    return this.db
      .selectFrom("accounts")
      .where("accounts.kind", "=", "person")
      .selectAll("accounts")
      .select((select) => [
        select
          .selectFrom("keys")
          .whereRef("keys.account_id", "=", "accounts.id")
          .where((key) => key.or([key("revoked_at", "is", null), key("revoked_at", ">", nowMs)]))
          .where((key) => key.or([key("expires_at", "is", null), key("expires_at", ">", nowMs)]))
          .select((key) => key.fn.countAll<number>().as("live"))
          .as("live_keys"),
        select
          .selectFrom("keys")
          .whereRef("keys.account_id", "=", "accounts.id")
          .select((key) => key.fn.max("last_used_at").as("last"))
          .as("last_used_at"),
        select
          .selectFrom("oidc_identities")
          .whereRef("oidc_identities.account_id", "=", "accounts.id")
          .select((identity) => identity.fn.countAll<number>().as("linked"))
          .as("identities"),
      ]);
  }

  /** Runs `change` unless it would leave no active admin. */
  async #unlessLastAdmin(
    id: string,
    kind: ChangeKind,
    losesAdmin: boolean,
    change: (transaction: Transaction<Schema>) => Promise<void>,
  ): Promise<boolean> {
    try {
      await this.changes.with(kind, id, async (transaction) => {
        if (losesAdmin) await this.#requireOtherAdmin(transaction, id);
        await change(transaction);
      });
      return true;
    } catch (error) {
      if (error instanceof LastAdmin) return false;
      throw error;
    }
  }

  async #requireOtherAdmin(transaction: Transaction<Schema>, id: string): Promise<void> {
    await lockAdmins(transaction);
    const admins = await transaction
      .selectFrom("accounts")
      .select("id")
      .where("role", "=", "admin")
      .where("suspended_at", "is", null)
      .limit(2)
      .execute();
    if (admins.length === 1 && admins[0]?.id === id) throw new LastAdmin();
  }
}

/** Rolls back what would leave no admin. */
class LastAdmin extends Error {}

/** Rejects with `DuplicateEmail`. Takes the connection, so that it can be part of a transaction. */
export async function insertAccount(
  db: Kysely<Schema>,
  account: NewAccount,
  createdAt: Date,
  emailVerifiedAt: Date | null = null,
): Promise<Account> {
  const row = await addRow(db, "accounts", {
    id: newId("acc"),
    kind: "person",
    email: account.email,
    email_lower: account.email.toLowerCase(),
    email_verified_at: emailVerifiedAt?.getTime() ?? null,
    password_hash: account.passwordHash,
    role: account.role,
    plan_id: account.planId,
    suspended_at: null,
    created_at: createdAt.getTime(),
  });
  if (row === undefined) throw new DuplicateEmail();
  return toAccount(row);
}

/**
 * Gives the account another address, and ends its links, which were mailed to the previous one. Rejects with
 * `DuplicateEmail`; null when there is no such account.
 */
export async function updateEmail(
  transaction: Transaction<Schema>,
  id: string,
  email: string,
  verifiedAt: Date | null,
): Promise<Account | null> {
  await transaction.deleteFrom("links").where("account_id", "=", id).execute();
  try {
    const set = { email, email_lower: email.toLowerCase(), email_verified_at: verifiedAt?.getTime() ?? null };
    const row = await updateRow(transaction, "accounts", { id }, set);
    return row === undefined ? null : toAccount(row);
  } catch (error) {
    throw isTaken(error) ? new DuplicateEmail() : error;
  }
}

/** The codes of a value that must be unique, in Postgres and SQLite. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["23505", "SQLITE_CONSTRAINT_UNIQUE"].includes(String(error.code));

/**
 * What an old password or a pending change of address could still be used for; a link that verifies the address, and
 * invitations into teams, stay.
 */
export async function deleteCredentialLinks(transaction: Transaction<Schema>, id: string): Promise<void> {
  await transaction
    .deleteFrom("links")
    .where("account_id", "=", id)
    .where("kind", "not in", ["verify", "team"])
    .execute();
}

export async function hasAdmin(db: Kysely<Schema>): Promise<boolean> {
  const row = await db
    .selectFrom("accounts")
    .select("id")
    .where("role", "=", "admin")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function lockAdmins(transaction: Transaction<Schema>): Promise<void> {
  await transaction
    .insertInto("settings")
    .values({ name: "admins_lock", value: "" })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: "" }))
    .execute();
}

const toCredentials = (row: AccountRow | undefined): Credentials | null =>
  row === undefined ? null : { account: toAccount(row), passwordHash: row.password_hash };

const toSummary = (
  row: AccountRow & { live_keys: number | null; last_used_at: number | null; identities: number | null },
): AccountSummary => ({
  account: toAccount(row),
  canSignIn: row.password_hash !== null || (row.identities ?? 0) > 0,
  liveKeys: row.live_keys ?? 0,
  lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
});
