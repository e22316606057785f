/** Sessions of the dashboard, in SQL. */
import { sql } from "kysely";
import type { Session, SessionOrigin, SessionRecord, SessionStore } from "../../core/sign-in/ports.js";
import type { SqlChanges } from "./change-rows.js";
import { toAccount, toPlan, toRow, toTime } from "./rows.js";
import type { Db, SessionRow } from "./schema.js";
import { deleteInBatches, deleteRow, findRows, inTransaction, updateRow } from "./statements.js";

export class SqlSessions implements SessionStore {
  constructor(
    private readonly db: Db,
    private readonly changes: SqlChanges,
  ) {}

  async create(session: Session, origin: SessionOrigin | null = null): Promise<void> {
    await inTransaction(this.db, async (transaction) => {
      await transaction.insertInto("sessions").values(toRow(session)).execute();
      if (origin === null) return;
      const { providerId: provider, issuer, subject, sid } = origin;
      await transaction
        .insertInto("oidc_sessions")
        .values({ session_hash: session.hash, provider, issuer, subject, sid })
        .execute();
    });
  }

  async find(hash: Uint8Array): Promise<SessionRecord | null> {
    const row = await this.db
      .selectFrom("sessions")
      .innerJoin("accounts", "accounts.id", "sessions.account_id")
      .innerJoin("plans", "plans.id", "accounts.plan_id")
      .selectAll("plans")
      .select([
        "sessions.account_id",
        "sessions.method",
        "sessions.device",
        "sessions.confirmed_at",
        "sessions.created_at as session_created_at",
        "sessions.last_seen_at",
        "sessions.expires_at",
        "accounts.kind",
        "accounts.email",
        "accounts.role",
        "accounts.plan_id",
        "accounts.suspended_at",
        "accounts.email_verified_at",
        "accounts.created_at",
        hasFactor.as("has_factor"),
        teamFactorBy.as("team_factor_by"),
      ])
      .where("sessions.hash", "=", hash)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      session: toSession({ ...row, hash, created_at: row.session_created_at }),
      account: toAccount({ ...row, id: row.account_id }),
      plan: toPlan(row),
      hasFactor: Boolean(row.has_factor),
      teamFactorBy: toTime(row.team_factor_by),
    };
  }

  async list(accountId: string, limit: number): Promise<Session[]> {
    return (await findRows(this.db, "sessions", { account_id: accountId }, ["last_seen_at desc"], limit)).map(
      toSession,
    );
  }

  /** Replicas write in any order, so the time only ever moves forward. */
  async touch(hash: Uint8Array, at: Date): Promise<void> {
    await updateRow(this.db, "sessions", { hash, last_seen_at: ["<", at] }, { last_seen_at: at.getTime() });
  }

  async noteConfirmed(hash: Uint8Array, at: Date): Promise<void> {
    await updateRow(this.db, "sessions", { hash }, { confirmed_at: at.getTime() });
  }

  async end(hash: Uint8Array): Promise<void> {
    await this.changes.transaction(async (transaction, note) => {
      const ended = await deleteRow(transaction, "sessions", { hash });
      if (ended !== undefined) note("sessions_ended", ended.account_id);
    });
  }

  async endAll(accountId: string, keep: Uint8Array | null): Promise<void> {
    await this.changes.with("sessions_ended", accountId, (transaction) =>
      endSessions(transaction, accountId, keep),
    );
  }

  async prune(now: Date, idleSince: Date): Promise<void> {
    // Separately: each condition has an index of its own.
    await deleteInBatches(this.db, "sessions", { expires_at: ["<=", now] });
    await deleteInBatches(this.db, "sessions", { last_seen_at: ["<=", idleSince] });
  }
}

/** Whether the account of the row that is read has a second factor in use: 1 or true. */
const hasFactor = sql<number | boolean>`(
  exists (select 1 from totp where totp.account_id = accounts.id and totp.confirmed_at is not null)
  or exists (select 1 from passkeys where passkeys.account_id = accounts.id))`;

/** The time of grace begins when a team made it a requirement, or when the account joined where that is later. */
const teamFactorBy = sql<number | null>`(
  select min(second_factor_days * 86400000 + case
    when second_factor_since > memberships.created_at then second_factor_since else memberships.created_at end)
  from memberships inner join teams on teams.id = memberships.team_id
  where memberships.account_id = accounts.id and second_factor_days is not null)`;

const toSession = (row: SessionRow): Session => ({
  hash: new Uint8Array(row.hash),
  accountId: row.account_id,
  method: row.method,
  device: row.device,
  createdAt: new Date(row.created_at),
  confirmedAt: new Date(row.confirmed_at ?? row.created_at),
  lastSeenAt: new Date(row.last_seen_at),
  expiresAt: new Date(row.expires_at),
});

/** Takes the connection, so that it can be part of a transaction. */
export async function endSessions(db: Db, accountId: string, keep: Uint8Array | null): Promise<void> {
  let sessions = db.deleteFrom("sessions").where("account_id", "=", accountId);
  if (keep !== null) sessions = sessions.where("hash", "<>", keep);
  await sessions.execute();
}
