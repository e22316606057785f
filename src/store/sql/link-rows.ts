/**
 * One-time links, in SQL. A link is used by deleting its row, which only one transaction can do; what the link is for
 * happens in the same transaction.
 */
import type { Clock } from "../../core/clock.js";
import type { Account } from "../../core/entities.js";
import type { LinkKind, LinkStore, NewLink, OwnLinkKind } from "../../core/sign-in/ports.js";
import { deleteCredentialLinks, hasAdmin, insertAccount, updateEmail } from "./account-rows.js";
import type { SqlChanges } from "./change-rows.js";
import { fromRow, toAccount, toRow } from "./rows.js";
import type { Db, DbTransaction, LinkRow } from "./schema.js";
import { endSessions } from "./session-rows.js";
import {
  addRow,
  deleteInBatches,
  deleteRow,
  findRow,
  findRows,
  ifFound,
  inTransaction,
  isNoneOr,
  updateRow,
} from "./statements.js";

export class SqlLinks implements LinkStore {
  constructor(
    private readonly db: Db,
    private readonly changes: SqlChanges,
    private readonly clock: Clock,
  ) {}

  async create(link: NewLink): Promise<void> {
    await this.db.insertInto("links").values(fromLink(link)).execute();
  }

  /** An index allows one set-up link at a time; an expired one is deleted first. */
  createSetup(link: NewLink): Promise<boolean> {
    return inTransaction(this.db, async (transaction) => {
      if (await hasAdmin(transaction)) return false;
      await deleteRow(transaction, "links", { kind: "setup", expires_at: ["<=", link.createdAt] });
      return (await addRow(transaction, "links", fromLink(link))) !== undefined;
    });
  }

  async find(kind: LinkKind, hash: Uint8Array, now: Date): Promise<NewLink | null> {
    return ifFound(await findRow(this.db, "links", { hash, kind, expires_at: [">", now] }), toLink);
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
      return insertAccount(transaction, { ...account, planId, role }, this.clock.now());
    });
  }

  resetPassword(hash: Uint8Array, now: Date, passwordHash: string): Promise<Account | null> {
    return this.changes.transaction(async (transaction, note) => {
      const link = await consumeLink(transaction, "reset", hash, now);
      if (link?.accountId == null) return null;
      const { accountId } = link;
      const set = { password_hash: passwordHash };
      const row = await updateRow(transaction, "accounts", { id: accountId }, set);
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
    const pending = { account_id: accountId, kind: ["in", changeKinds], expires_at: [">", now] } as const;
    return ifFound(await findRow(this.db, "links", pending), toLink);
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
    const first = { hash, kind: "change_from", expires_at: [">", now] } as const;
    const second = toRow({
      hash: next.hash,
      kind: "change_to" as const,
      createdAt: now,
      expiresAt: next.expiresAt,
    });
    return ifFound(await updateRow(this.db, "links", first, second), toLink);
  }

  async changeEmail(hash: Uint8Array, now: Date): Promise<Account | null> {
    const account = await this.changes.transaction(async (transaction, note) => {
      const link = await consumeLink(transaction, "change_to", hash, now);
      if (link?.accountId == null || link.email == null) return null;
      note("account_changed", link.accountId);
      // Rejects when the address is taken, and the rollback restores the link.
      return updateEmail(transaction, link.accountId, link.email, now);
    });
    if (account !== null) await this.changes.eraseTraces();
    return account;
  }

  signIn(hash: Uint8Array, now: Date): Promise<Account | null> {
    return inTransaction(this.db, async (transaction) => {
      const link = await consumeLink(transaction, "sign_in", hash, now);
      if (link?.accountId == null) return null;
      const active = { id: link.accountId, suspended_at: null };
      return ifFound(await findRow(transaction, "accounts", active), toAccount);
    });
  }

  async listInvites(now: Date, limit: number): Promise<NewLink[]> {
    const open = { kind: "invite", expires_at: [">", now] } as const;
    return (await findRows(this.db, "links", open, ["created_at desc"], limit)).map(toLink);
  }

  async revokeInvite(hash: Uint8Array): Promise<boolean> {
    return (await deleteRow(this.db, "links", { hash, kind: "invite" })) !== undefined;
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "links", { expires_at: ["<=", now] });
  }
}

const changeKinds = ["change_from", "change_to"] as const;

/** Of a change of address there is one link at a time, whichever it is. */
async function deleteOwn(db: Db, accountId: string, kind: OwnLinkKind): Promise<void> {
  const kinds = kind === "change_from" ? changeKinds : [kind];
  await deleteRow(db, "links", { account_id: accountId, kind: ["in", kinds] });
}

/** With `emailHash`, a link for another address stays as it is. */
export async function consumeLink(
  transaction: DbTransaction,
  kind: LinkKind,
  hash: Uint8Array,
  now: Date,
  emailHash?: Uint8Array,
): Promise<NewLink | null> {
  const open = { hash, kind, expires_at: [">", now] } as const;
  const used = emailHash === undefined ? open : { ...open, email_hash: isNoneOr(emailHash) };
  return ifFound(await deleteRow(transaction, "links", used), toLink);
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
