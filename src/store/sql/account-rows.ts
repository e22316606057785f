/**
 * Accounts as the dashboard needs them, in SQL.
 *
 * Every change that demotes or removes an admin first locks one shared row, then counts the remaining admins. Without
 * the lock two concurrent changes could each see the other admin, and remove both.
 */
import { sql, type RawBuilder } from "kysely";
import type { ChangeKind } from "../../core/replicas/changes.js";
import type { AccountStore, AccountSummary } from "../../core/accounts/ports.js";
import type { Credentials } from "../../core/sign-in/ports.js";
import { newId } from "../../core/keys/ids.js";
import { DuplicateEmail, type NewAccount } from "../../core/store.js";
import type { Account, Role } from "../../core/entities.js";
import { endAccess, removeAccount } from "./account-removal.js";
import { AccountSearch } from "./account-search.js";
import type { SqlChanges } from "./change-rows.js";
import { toAccount, toTime } from "./rows.js";
import type { AccountRow, Db, DbTransaction } from "./schema.js";
import { endSessions } from "./session-rows.js";
import { addRow, countRows, findRow, ifFound, putRow, updateRow } from "./statements.js";

export class SqlAccounts implements AccountStore {
  readonly #search: AccountSearch;

  constructor(
    private readonly db: Db,
    private readonly changes: SqlChanges,
    locksRows: boolean,
  ) {
    // Postgres, which locks rows, compares text by collation; SQLite compares bytes.
    this.#search = new AccountSearch(db, !locksRows);
  }

  async findAccount(id: string): Promise<Account | null> {
    return (await this.findCredentialsById(id))?.account ?? null;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    const person = { email_lower: email.toLowerCase(), kind: "person" } as const;
    return ifFound(await findRow(this.db, "accounts", person), toCredentials);
  }

  async findCredentialsById(id: string): Promise<Credentials | null> {
    return ifFound(await findRow(this.db, "accounts", { id }), toCredentials);
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
    await this.changes.eraseTraces();
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
    if (isRemoved) await this.changes.eraseTraces();
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
    return this.db
      .selectFrom("accounts")
      .where("accounts.kind", "=", "person")
      .selectAll("accounts")
      .select([
        liveKeys(now, sql`accounts.id`).as("live_keys"),
        sql<number | null>`(select max(last_used_at) from keys where account_id = accounts.id)`.as(
          "last_used_at",
        ),
        sql<number>`(select count(*) from oidc_identities where account_id = accounts.id)`.as("identities"),
      ]);
  }

  /** Runs `change` unless it would leave no active admin. */
  async #unlessLastAdmin(
    id: string,
    kind: ChangeKind,
    losesAdmin: boolean,
    change: (transaction: DbTransaction) => Promise<void>,
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

  async #requireOtherAdmin(transaction: DbTransaction, id: string): Promise<void> {
    await putRow(transaction, "settings", { name: "admins_lock", value: "" });
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
  db: Db,
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
  transaction: DbTransaction,
  id: string,
  email: string,
  verifiedAt: Date | null,
): Promise<Account | null> {
  await transaction.deleteFrom("links").where("account_id", "=", id).execute();
  try {
    const set = { email, email_lower: email.toLowerCase(), email_verified_at: verifiedAt?.getTime() ?? null };
    return ifFound(await updateRow(transaction, "accounts", { id }, set), toAccount);
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
export async function deleteCredentialLinks(transaction: DbTransaction, id: string): Promise<void> {
  await transaction
    .deleteFrom("links")
    .where("account_id", "=", id)
    .where("kind", "not in", ["verify", "team"])
    .execute();
}

export async function hasAdmin(db: Db): Promise<boolean> {
  const admins = db.selectFrom("accounts").select("id").where("role", "=", "admin").limit(1);
  return (await admins.executeTakeFirst()) !== undefined;
}

/** Of an account or team: those that have neither expired nor been revoked. */
export const liveKeys = (now: Date, accountId: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(select count(*) from keys where keys.account_id = ${accountId}
    and (revoked_at is null or revoked_at > ${now.getTime()})
    and (expires_at is null or expires_at > ${now.getTime()}))`;

const toCredentials = (row: AccountRow): Credentials => ({
  account: toAccount(row),
  passwordHash: row.password_hash,
});

const toSummary = (
  row: AccountRow & { live_keys: number; last_used_at: number | null; identities: number },
): AccountSummary => ({
  account: toAccount(row),
  canSignIn: row.password_hash !== null || row.identities > 0,
  liveKeys: row.live_keys,
  lastUsedAt: toTime(row.last_used_at),
});
