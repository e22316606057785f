/** Identities at providers, and sign-ins and logouts with them, in SQL. */
import { sql } from "kysely";
import type { Account } from "../../core/entities.js";
import { newId } from "../../core/keys/ids.js";
import type {
  Identity,
  LinkedIdentity,
  NewProviderAccount,
  ProvenIdentity,
  Round,
  SingleSignOnStore,
} from "../../core/single-sign-on/ports.js";
import type { SessionOrigin } from "../../core/sign-in/ports.js";
import { insertAccount } from "./account-rows.js";
import type { SqlChanges } from "./change-rows.js";
import { consumeLink } from "./link-rows.js";
import { fromRow, toAccount, toRow } from "./rows.js";
import type { Db, OidcIdentityRow, OidcRoundRow } from "./schema.js";
import {
  addRow,
  countRows,
  deleteInBatches,
  deleteRow,
  findRow,
  findRows,
  ifFound,
  inTransaction,
  updateRow,
} from "./statements.js";

export class SqlSingleSignOn implements SingleSignOnStore {
  constructor(
    private readonly db: Db,
    private readonly changes: SqlChanges,
    /** Whether the database locks rows, and not the whole file. */
    private readonly locksRows: boolean,
  ) {}

  async begin(round: Round, now: Date, most: number): Promise<boolean> {
    await deleteRow(this.db, "oidc_rounds", { expires_at: ["<=", now] });
    // A few more that begin at this moment do no harm.
    if ((await countRows(this.db, "oidc_rounds")) >= most) return false;
    await this.db.insertInto("oidc_rounds").values(fromRound(round)).execute();
    return true;
  }

  async findRound(hash: Uint8Array, now: Date): Promise<Round | null> {
    return ifFound(await findRow(this.db, "oidc_rounds", { hash, expires_at: [">", now] }), toRound);
  }

  async takeRound(hash: Uint8Array, now: Date): Promise<Round | null> {
    return ifFound(await deleteRow(this.db, "oidc_rounds", { hash, expires_at: [">", now] }), toRound);
  }

  async findAccount({ issuer, subject }: Identity): Promise<Account | null> {
    const row = await this.db
      .selectFrom("oidc_identities")
      .innerJoin("accounts", "accounts.id", "oidc_identities.account_id")
      .selectAll("accounts")
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst();
    return ifFound(row, toAccount);
  }

  async listIdentities(accountId: string): Promise<LinkedIdentity[]> {
    return (await findIdentities(this.db, accountId)).map(toIdentity);
  }

  link(accountId: string, providerId: string, identity: Identity, now: Date): Promise<boolean> {
    return insertIdentity(this.db, accountId, providerId, identity, now);
  }

  async noteUse({ issuer, subject }: Identity, now: Date): Promise<void> {
    await updateRow(this.db, "oidc_identities", { issuer, subject }, { last_used_at: now.getTime() });
  }

  async unlink(accountId: string, id: string, mayUsePassword: boolean): Promise<"done" | "last" | "none"> {
    return inTransaction(this.db, async (transaction) => {
      // The account's row is locked, so that two calls cannot each see the identity that the other removes.
      const account = transaction
        .selectFrom("accounts")
        .select("password_hash")
        .where("id", "=", accountId)
        .$if(this.locksRows, (query) => query.forUpdate());
      const hasPassword = mayUsePassword && (await account.executeTakeFirst())?.password_hash != null;
      const identities = await findIdentities(transaction, accountId);
      if (!identities.some((identity) => identity.id === id)) return "none";
      if (identities.length === 1 && !hasPassword) return "last";
      await deleteRow(transaction, "oidc_identities", { id });
      return "done";
    });
  }

  createAccount(
    { email, isEmailVerified, planId, inviteHash }: NewProviderAccount,
    providerId: string,
    identity: Identity,
    now: Date,
  ): Promise<Account | null> {
    return inTransaction(this.db, async (transaction) => {
      const invite = inviteHash && (await consumeLink(transaction, "invite", inviteHash, now));
      if (inviteHash !== null && invite === null) return null;
      const account = await insertAccount(
        transaction,
        { email, passwordHash: null, role: "user", planId: invite?.planId ?? planId },
        now,
        isEmailVerified ? now : null,
      );
      if (await insertIdentity(transaction, account.id, providerId, identity, now)) return account;
      throw new Error("An identity was linked while an account was created for it.");
    });
  }

  async findProvisioned(subject: string, verifiedEmail: string | null): Promise<Account | null> {
    const unused = this.db
      .selectFrom("scim_users")
      .innerJoin("accounts", "accounts.id", "scim_users.account_id")
      .selectAll("accounts")
      .where("accounts.password_hash", "is", null)
      .where(
        sql<boolean>`not exists (select 1 from oidc_identities where oidc_identities.account_id = accounts.id)`,
      )
      .limit(2);
    const bySubject = await unused.where("scim_users.external_id", "=", subject).execute();
    const rows =
      bySubject.length > 0 || verifiedEmail === null
        ? bySubject
        : await unused.where("accounts.email_lower", "=", verifiedEmail.toLowerCase()).execute();
    const [row, another] = rows;
    return row === undefined || another !== undefined ? null : toAccount(row);
  }

  async isProvisioned(accountId: string): Promise<boolean> {
    return (await findRow(this.db, "scim_users", { account_id: accountId })) !== undefined;
  }

  async findOrigin(sessionHash: Uint8Array): Promise<SessionOrigin | null> {
    const row = await findRow(this.db, "oidc_sessions", { session_hash: sessionHash });
    if (row === undefined) return null;
    return { providerId: row.provider, issuer: row.issuer, subject: row.subject, sid: row.sid };
  }

  endSessionsOf(issuer: string, sid: string): Promise<string[]> {
    return this.changes.transaction(async (transaction, note) => {
      const begun = transaction
        .selectFrom("oidc_sessions")
        .select("session_hash")
        .where("issuer", "=", issuer)
        .where("sid", "=", sid);
      const ended = await transaction
        .deleteFrom("sessions")
        .where("hash", "in", begun)
        .returning("account_id")
        .execute();
      const accounts = [...new Set(ended.map((row) => row.account_id))];
      for (const id of accounts) note("sessions_ended", id);
      return accounts;
    });
  }

  async isLogoutClaimed(hash: Uint8Array): Promise<boolean> {
    return (await findRow(this.db, "oidc_logouts", { hash })) !== undefined;
  }

  async claimLogout(hash: Uint8Array, expiresAt: Date): Promise<boolean> {
    const used = { hash, expires_at: expiresAt.getTime() };
    return (await addRow(this.db, "oidc_logouts", used)) !== undefined;
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "oidc_rounds", { expires_at: ["<=", now] });
    await deleteInBatches(this.db, "oidc_logouts", { expires_at: ["<=", now] });
  }
}

const findIdentities = (db: Db, accountId: string) =>
  findRows(db, "oidc_identities", { account_id: accountId }, ["created_at", "id"]);

/** False when it is linked already. Takes the connection, so that it can be part of a transaction. */
async function insertIdentity(
  db: Db,
  accountId: string,
  provider: string,
  { issuer, subject }: Identity,
  now: Date,
): Promise<boolean> {
  const row = await addRow(db, "oidc_identities", {
    id: newId("idn"),
    account_id: accountId,
    provider,
    issuer,
    subject,
    created_at: now.getTime(),
    last_used_at: now.getTime(),
  });
  return row !== undefined;
}

const fromRound = ({ providerId: provider, identity, ...round }: Round): OidcRoundRow => ({
  ...toRow(round),
  provider,
  identity: identity === null ? null : JSON.stringify(identity),
});

const toRound = ({ provider: providerId, identity, ...row }: OidcRoundRow): Round => ({
  ...fromRow<Omit<Round, "providerId" | "identity">>(row),
  providerId,
  identity: identity === null ? null : (JSON.parse(identity) as ProvenIdentity),
});

const toIdentity = ({ provider: providerId, ...row }: OidcIdentityRow): LinkedIdentity => ({
  ...fromRow<Omit<LinkedIdentity, "providerId">>(row),
  providerId,
});
