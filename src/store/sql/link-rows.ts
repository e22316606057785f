/**
 * One-time links, in SQL. A link is used by deleting its row, which only one transaction can do; what the link is for
 * happens in the same transaction.
 */
import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../../core/clock.js";
import type { Account } from "../../core/entities.js";
import type { LinkKind, LinkStore, NewLink, OwnLinkKind } from "../../core/sign-in/ports.js";
import { deleteCredentialLinks, hasAdmin, insertAccount, updateEmail } from "./account-rows.js";
import { deleteInBatches } from "./batches.js";
import { addRow, deleteRow, findRow, updateRow } from "./by-columns.js";
import type { SqlChanges } from "./change-rows.js";
import { fromRow, toRow } from "./entity-rows.js";
import { inTransaction } from "./in-transaction.js";
import { toAccount } from "./rows.js";
import type { LinkRow, Schema } from "./schema.js";
import { endSessions } from "./session-rows.js";

export class SqlLinks implements LinkStore {
  constructor(
    private readonly db: Kysely<Schema>,
    private readonly changes: SqlChanges,
    private readonly options: { clock: Clock; eraseTraces: () => Promise<void> },
  ) {}

  async create(link: NewLink): Promise<void> {
    await this.db.insertInto("links").values(fromLink(link)).execute();
  }

  /** An index allows one set-up link at a time; an expired one is deleted first. */
  createSetup(link: NewLink): Promise<boolean> {
    return inTransaction(this.db, async (transaction) => {
      if (await hasAdmin(transaction)) return false;
      await transaction
        .deleteFrom("links")
        .where("kind", "=", "setup")
        .where("expires_at", "<=", link.createdAt.getTime())
        .execute();
      return (await addRow(transaction, "links", fromLink(link))) !== undefined;
    });
  }

  async find(kind: LinkKind, hash: Uint8Array, now: Date): Promise<NewLink | null> {
    const row = await findRow(this.db, "links", { hash, kind });
    return row !== undefined && row.expires_at > now.getTime() ? toLink(row) : null;
  }

  createAccount(
    kind: "setup" | "invite",
    hash: Uint8Array,
    now: Date,
    account: { email: string; passwordHash: string; planId: string },
  ): Promise<Account | null> {
    return inTransaction(this.db, async (transaction) => {
      const link = await consumeLink(transaction, kind, hash, now);
      if (link === null) return null;
      if (kind === "setup" && (await hasAdmin(transaction))) return null;
      const role = kind === "setup" ? "admin" : "user";
      // Rejects when the address is taken, and the rollback restores the link.
      const planId = link.planId ?? account.planId;
      return insertAccount(transaction, { ...account, planId, role }, this.options.clock.now());
    });
  }

  resetPassword(hash: Uint8Array, now: Date, passwordHash: string): Promise<Account | null> {
    return this.changes.transaction(async (transaction, note) => {
      const link = await consumeLink(transaction, "reset", hash, now);
      if (link?.accountId == null) return null;
      const { accountId } = link;
      const row = await updateRow(
        transaction,
        "accounts",
        { id: accountId },
        { password_hash: passwordHash },
      );
      if (row === undefined) return null;
      await deleteCredentialLinks(transaction, accountId);
      if (row.email_verified_at === null)
        await transaction.deleteFrom("oidc_identities").where("account_id", "=", accountId).execute();
      await endSessions(transaction, accountId, null);
      note("sessions_ended", accountId);
      return toAccount(row);
    });
  }

  async replaceOwn(link: NewLink & { accountId: string; kind: OwnLinkKind }): Promise<void> {
    await inTransaction(this.db, async (transaction) => {
      await deleteOwn(transaction, link.accountId, link.kind);
      await transaction.insertInto("links").values(fromLink(link)).execute();
    });
  }

  async deleteOwn(accountId: string, kind: OwnLinkKind): Promise<void> {
    await deleteOwn(this.db, accountId, kind);
  }

  async findEmailChange(accountId: string, now: Date): Promise<NewLink | null> {
    const row = await this.db
      .selectFrom("links")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("kind", "in", changeKinds)
      .where("expires_at", ">", now.getTime())
      .executeTakeFirst();
    return row === undefined ? null : toLink(row);
  }

  verifyEmail(hash: Uint8Array, now: Date): Promise<Account | null> {
    return this.changes.transaction(async (transaction, note) => {
      const link = await consumeLink(transaction, "verify", hash, now);
      if (link?.accountId == null) return null;
      const verified = { email_verified_at: now.getTime() };
      const row = await updateRow(transaction, "accounts", { id: link.accountId }, verified);
      if (row === undefined) return null;
      note("account_changed", row.id);
      return toAccount(row);
    });
  }

  /** The row becomes the second link. */
  async agreeToEmailChange(
    hash: Uint8Array,
    now: Date,
    next: Pick<NewLink, "hash" | "expiresAt">,
  ): Promise<NewLink | null> {
    const row = await this.db
      .updateTable("links")
      .set({
        kind: "change_to",
        hash: next.hash,
        created_at: now.getTime(),
        expires_at: next.expiresAt.getTime(),
      })
      .where("hash", "=", hash)
      .where("kind", "=", "change_from")
      .where("expires_at", ">", now.getTime())
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toLink(row);
  }

  async changeEmail(hash: Uint8Array, now: Date): Promise<Account | null> {
    const account = await this.changes.transaction(async (transaction, note) => {
      const link = await consumeLink(transaction, "change_to", hash, now);
      if (link?.accountId == null || link.email == null) return null;
      note("account_changed", link.accountId);
      // Rejects when the address is taken, and the rollback restores the link.
      return updateEmail(transaction, link.accountId, link.email, now);
    });
    if (account !== null) await this.options.eraseTraces();
    return account;
  }

  signIn(hash: Uint8Array, now: Date): Promise<Account | null> {
    return inTransaction(this.db, async (transaction) => {
      const link = await consumeLink(transaction, "sign_in", hash, now);
      if (link?.accountId == null) return null;
      const row = await findRow(transaction, "accounts", { id: link.accountId, suspended_at: null });
      return row === undefined ? null : toAccount(row);
    });
  }

  async listInvites(now: Date, limit: number): Promise<NewLink[]> {
    const rows = await this.db
      .selectFrom("links")
      .selectAll()
      .where("kind", "=", "invite")
      .where("expires_at", ">", now.getTime())
      .orderBy("created_at", "desc")
      .limit(limit)
      .execute();
    return rows.map(toLink);
  }

  async revokeInvite(hash: Uint8Array): Promise<boolean> {
    return (await deleteRow(this.db, "links", { hash, kind: "invite" })) !== undefined;
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "links", sql`expires_at <= ${now.getTime()}`);
  }
}

const changeKinds = ["change_from", "change_to"] as const;

/** Of a change of address there is one link at a time, whichever it is. */
async function deleteOwn(db: Kysely<Schema>, accountId: string, kind: OwnLinkKind): Promise<void> {
  await db
    .deleteFrom("links")
    .where("account_id", "=", accountId)
    .where("kind", "in", kind === "change_from" ? changeKinds : [kind])
    .execute();
}

/** With `emailHash`, a link for another address stays as it is. */
export async function consumeLink(
  transaction: Transaction<Schema>,
  kind: LinkKind,
  hash: Uint8Array,
  now: Date,
  emailHash?: Uint8Array,
): Promise<NewLink | null> {
  let used = transaction
    .deleteFrom("links")
    .where("hash", "=", hash)
    .where("kind", "=", kind)
    .where("expires_at", ">", now.getTime());
  if (emailHash !== undefined) {
    used = used.where((where) =>
      where.or([where("email_hash", "is", null), where("email_hash", "=", emailHash)]),
    );
  }
  const row = await used.returningAll().executeTakeFirst();
  return row === undefined ? null : toLink(row);
}

const fromLink = ({ team, ...link }: NewLink): LinkRow => ({
  ...toRow(link),
  team_id: team?.id ?? null,
  team_role: team?.role ?? null,
});

export const toLink = ({ team_id: id, team_role: role, ...row }: LinkRow): NewLink => ({
  ...fromRow<Omit<NewLink, "team">>(row),
  ...(id !== null && role !== null ? { team: { id, role } } : {}),
});
