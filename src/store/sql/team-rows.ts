/**
 * Teams and their members, in SQL. A team is a row of `accounts`, so that keys, usage and quotas belong to it as to any
 * account; what only teams have is in `teams`.
 */
import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Clock } from "../../core/clock.js";
import {
  noKeyLimits,
  noQuotas,
  withQuotas,
  type KeyLimits,
  type Plan,
  type TeamRole,
} from "../../core/entities.js";
import { newId } from "../../core/keys/ids.js";
import type { NewLink } from "../../core/sign-in/ports.js";
import type {
  Membership,
  MemberOutcome,
  Team,
  TeamChange,
  TeamCounts,
  TeamStore,
  TeamSummary,
} from "../../core/teams/ports.js";
import { removeAccount } from "./account-removal.js";
import { addRow, deleteRow, findRow, updateRow } from "./by-columns.js";
import type { NoteChange, SqlChanges } from "./change-rows.js";
import { inTransaction } from "./in-transaction.js";
import { consumeLink, toLink } from "./link-rows.js";
import { fromLimits, fromQuotas, toAccount, toLimits, toList, toPlan, toQuotas, toTime } from "./rows.js";
import type { AccountRow, MembershipRow, Schema, TeamRow } from "./schema.js";
import { isOnlyOwner, lockTeam } from "./team-owners.js";

type JoinedTeamRow = AccountRow & Omit<TeamRow, "id">;

export class SqlTeams implements TeamStore {
  constructor(
    private readonly db: Kysely<Schema>,
    private readonly changes: SqlChanges,
    private readonly options: { clock: Clock; eraseTraces: () => Promise<void> },
  ) {}

  async create({ name, planId, ownerId }: Parameters<TeamStore["create"]>[0]): Promise<Team> {
    const id = newId("team");
    const created_at = this.options.clock.now().getTime();
    await inTransaction(this.db, async (transaction) => {
      await transaction
        .insertInto("accounts")
        .values({
          ...{ id, kind: "team", email: name, email_lower: id.toLowerCase(), email_verified_at: null },
          ...{ password_hash: null, role: "user", plan_id: planId, suspended_at: null, created_at },
        })
        .execute();
      await transaction
        .insertInto("teams")
        .values({
          ...{ id, join_domain: null, ...fromQuotas(noQuotas), allow_from: null, external_id: null },
          ...{ second_factor_days: null, second_factor_since: null },
        })
        .execute();
      if (ownerId === null) return;
      await insertMember(transaction, { team_id: id, account_id: ownerId, role: "owner", created_at });
    });
    const team = await this.find(id);
    if (team === null) throw new Error("A team that was just created is gone.");
    return team;
  }

  async find(id: string): Promise<Team | null> {
    const row = await teamsIn(this.db).where("teams.id", "=", id).executeTakeFirst();
    return row === undefined ? null : toTeam(row);
  }

  async findFor(id: string, accountId: string): Promise<{ team: Team; plan: Plan; role: TeamRole } | null> {
    const [row, planRow] = await Promise.all([
      this.#ofAccount(accountId).where("teams.id", "=", id).executeTakeFirst(),
      this.db
        .selectFrom("accounts")
        .innerJoin("plans", "plans.id", "accounts.plan_id")
        .selectAll("plans")
        .where("accounts.id", "=", id)
        .executeTakeFirst(),
    ]);
    if (row === undefined || planRow === undefined) return null;
    const team = toTeam(row);
    return { team, plan: withQuotas(toPlan(planRow), team.quotas), role: row.team_role };
  }

  async list(
    search: string,
    { offset, limit }: { offset: number; limit: number },
    now: Date,
  ): Promise<{ teams: TeamSummary[]; total: number }> {
    const found = sql<boolean>`(${search} = '' or lower(accounts.email) like ${`%${escapeLike(search.toLowerCase())}%`} escape '\\'
      or accounts.id like ${`${escapeLike(search)}%`} escape '\\')`;
    const rows = await teamsIn(this.db)
      .where(found)
      .select((select) => [
        select
          .selectFrom("memberships")
          .whereRef("memberships.team_id", "=", "teams.id")
          .select((member) => member.fn.countAll<number>().as("count"))
          .as("members"),
        liveKeys(now).as("live_keys"),
      ])
      .orderBy(sql`lower(accounts.email)`)
      .orderBy("teams.id")
      .limit(limit)
      .offset(offset)
      .execute();
    const total = await countTeams(this.db, found);
    const teams = rows.map((row) => ({
      team: toTeam(row),
      members: row.members ?? 0,
      liveKeys: row.live_keys,
    }));
    return { teams, total };
  }

  async ofAccount(accountId: string): Promise<{ team: Team; role: TeamRole }[]> {
    const rows = await this.#ofAccount(accountId)
      .orderBy(sql`lower(accounts.email)`)
      .orderBy("teams.id")
      .execute();
    return rows.map((row) => ({ team: toTeam(row), role: row.team_role }));
  }

  async byDomain(domain: string, limit: number): Promise<Team[]> {
    const rows = await teamsIn(this.db)
      .where("teams.join_domain", "=", domain)
      .where("accounts.suspended_at", "is", null)
      .orderBy(sql`lower(accounts.email)`)
      .orderBy("teams.id")
      .limit(limit)
      .execute();
    return rows.map(toTeam);
  }

  async change(id: string, change: TeamChange): Promise<Team | null> {
    const { name, planId } = change;
    const columns = teamColumns(change);
    await this.changes.with("account_changed", id, async (transaction) => {
      if (name !== undefined || planId !== undefined) {
        const set = {
          ...(name === undefined ? {} : { email: name }),
          ...(planId === undefined ? {} : { plan_id: planId }),
        };
        await updateRow(transaction, "accounts", { id, kind: "team" }, set);
      }
      if (Object.keys(columns).length > 0) {
        await updateRow(transaction, "teams", { id }, columns);
      }
    });
    return this.find(id);
  }

  async setSuspended(id: string, at: Date | null): Promise<void> {
    await this.changes.with(at === null ? "account_changed" : "account_ended", id, (transaction) =>
      updateRow(transaction, "accounts", { id, kind: "team" }, { suspended_at: at?.getTime() ?? null }),
    );
  }

  async count(id: string, now: Date): Promise<TeamCounts> {
    const { rows } = await sql<TeamCounts>`select
      (select count(*) from memberships where team_id = ${id}) as "members",
      (select count(*) from keys where account_id = ${id}) as "keys",
      ${liveKeys(now, sql`${id}`)} as "liveKeys",
      (select count(*) from links where team_id = ${id} and expires_at > ${now.getTime()}) as "invitations"`.execute(
      this.db,
    );
    return rows[0] ?? { members: 0, keys: 0, liveKeys: 0, invitations: 0 };
  }

  async remove(id: string): Promise<void> {
    await this.changes.with("account_ended", id, (transaction) => removeAccount(transaction, id));
    await this.options.eraseTraces();
  }

  async membership(id: string, accountId: string): Promise<Membership | null> {
    const row = await this.#members(id).where("memberships.account_id", "=", accountId).executeTakeFirst();
    return row === undefined ? null : toMembership(row);
  }

  async members(id: string): Promise<Membership[]> {
    const rows = await this.#members(id)
      .orderBy(
        sql`case memberships.role when 'owner' then 0 when 'admin' then 1 when 'member' then 2 else 3 end`,
      )
      .orderBy("accounts.email_lower")
      .execute();
    return rows.map(toMembership);
  }

  async membershipsOf(accountId: string): Promise<Membership[]> {
    const rows = await this.#memberships()
      .where("memberships.account_id", "=", accountId)
      .orderBy("memberships.team_id")
      .execute();
    return rows.map(toMembership);
  }

  async addMember(
    id: string,
    accountId: string,
    role: TeamRole,
    providerId: string | null = null,
  ): Promise<boolean> {
    const person = await findRow(this.db, "accounts", { id: accountId, kind: "person" });
    if (person === undefined) return false;
    const created_at = this.options.clock.now().getTime();
    return insertMember(this.db, {
      team_id: id,
      account_id: accountId,
      role,
      created_at,
      provider_id: providerId,
    });
  }

  setRole(id: string, accountId: string, role: TeamRole, at: Date): Promise<MemberOutcome> {
    return this.#unlessLastOwner(id, accountId, role !== "owner", async (transaction, note) => {
      const member = { team_id: id, account_id: accountId };
      const changed = await updateRow(transaction, "memberships", member, { role });
      if (role === "viewer") await revokeKeys(transaction, note, { teamId: id, accountId }, at);
      if (role !== "owner") await revokeInvites(transaction, { teamId: id, accountId });
      return changed !== undefined;
    });
  }

  async setLimits(id: string, accountId: string, limits: KeyLimits): Promise<boolean> {
    return this.changes.transaction(async (transaction, note) => {
      const member = { team_id: id, account_id: accountId };
      const changed = await updateRow(transaction, "memberships", member, fromLimits(limits));
      note("account_changed", id);
      return changed !== undefined;
    });
  }

  removeMember(id: string, accountId: string, at: Date): Promise<MemberOutcome> {
    return this.#unlessLastOwner(id, accountId, true, async (transaction, note) => {
      const removed = await deleteRow(transaction, "memberships", { team_id: id, account_id: accountId });
      await revokeKeys(transaction, note, { teamId: id, accountId }, at);
      await revokeInvites(transaction, { teamId: id, accountId });
      return removed !== undefined;
    });
  }

  async listInvites(id: string, now: Date, limit: number): Promise<NewLink[]> {
    const rows = await this.db
      .selectFrom("links")
      .selectAll()
      .where("team_id", "=", id)
      .where("expires_at", ">", now.getTime())
      .orderBy("created_at", "desc")
      .limit(limit)
      .execute();
    return rows.map(toLink);
  }

  async revokeInvite(id: string, hash: Uint8Array): Promise<boolean> {
    return (await deleteRow(this.db, "links", { hash, team_id: id })) !== undefined;
  }

  acceptInvite(
    hash: Uint8Array,
    account: { id: string; emailHash: Uint8Array },
    now: Date,
  ): Promise<Team | null> {
    return inTransaction(this.db, async (transaction) => {
      const link = await consumeLink(transaction, "team", hash, now, account.emailHash);
      if (link?.team == null) return null;
      const row = await teamsIn(transaction)
        .where("teams.id", "=", link.team.id)
        .where("accounts.suspended_at", "is", null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { id: team_id, role } = link.team;
      const member = { team_id, account_id: account.id, role, created_at: now.getTime() };
      await insertMember(transaction, member);
      return toTeam(row);
    });
  }

  #ofAccount(accountId: string) {
    return teamsIn(this.db)
      .innerJoin("memberships", "memberships.team_id", "teams.id")
      .where("memberships.account_id", "=", accountId)
      .select("memberships.role as team_role");
  }

  #members(id: string) {
    return this.#memberships().where("memberships.team_id", "=", id);
  }

  #memberships() {
    return this.db
      .selectFrom("memberships")
      .innerJoin("accounts", "accounts.id", "memberships.account_id")
      .selectAll("memberships")
      .select(["accounts.email", "accounts.suspended_at"]);
  }

  /** Runs `change`, which says whether there was such a member, unless it would leave no owner. */
  async #unlessLastOwner(
    id: string,
    accountId: string,
    losesOwner: boolean,
    change: (transaction: Transaction<Schema>, note: NoteChange) => Promise<boolean>,
  ): Promise<MemberOutcome> {
    return this.changes.transaction(async (transaction, note) => {
      await lockTeam(transaction, id);
      if (losesOwner && (await isOnlyOwner(transaction, id, accountId))) return "last_owner";
      return (await change(transaction, note)) ? "done" : "none";
    });
  }
}

export async function countTeams(db: Kysely<Schema>, found: RawBuilder<boolean>): Promise<number> {
  const { total } = await db
    .selectFrom("teams")
    .innerJoin("accounts", "accounts.id", "teams.id")
    .where(found)
    .select((select) => select.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

const teamsIn = (db: Kysely<Schema>) =>
  db.selectFrom("teams").innerJoin("accounts", "accounts.id", "teams.id").selectAll(["teams", "accounts"]);

/** Of the table `teams`, those that the change is about. */
function teamColumns({ quotas, joinDomain, allowFrom, secondFactor }: TeamChange): Partial<TeamRow> {
  return {
    ...(quotas === undefined ? {} : fromQuotas(quotas)),
    ...(joinDomain === undefined ? {} : { join_domain: joinDomain }),
    ...(allowFrom === undefined ? {} : { allow_from: allowFrom?.join(",") ?? null }),
    ...(secondFactor === undefined
      ? {}
      : {
          second_factor_days: secondFactor?.graceDays ?? null,
          second_factor_since: secondFactor?.since.getTime() ?? null,
        }),
  };
}

/** False when the account is in the team already. */
async function insertMember(
  db: Kysely<Schema>,
  member: Pick<MembershipRow, "team_id" | "account_id" | "role" | "created_at"> & Partial<MembershipRow>,
): Promise<boolean> {
  const row = { provider_id: null, ...fromLimits(noKeyLimits), ...member };
  return (await addRow(db, "memberships", row)) !== undefined;
}

/** What the member has running in the team ends on every server. */
async function revokeKeys(
  transaction: Transaction<Schema>,
  note: NoteChange,
  { teamId, accountId }: { teamId: string; accountId: string },
  at: Date,
): Promise<void> {
  const atMs = at.getTime();
  const revoked = await transaction
    .updateTable("keys")
    .set({ revoked_at: atMs })
    .where("account_id", "=", teamId)
    .where("member_id", "=", accountId)
    .where((where) => where.or([where("revoked_at", "is", null), where("revoked_at", ">", atMs)]))
    .returning("id")
    .execute();
  for (const { id } of revoked) note("key_ended", id);
  // In the playground there is no key to end.
  note("account_changed", accountId);
}

/** Those that this member has made: they could be used to come back, or for what the member may not give any more. */
async function revokeInvites(
  transaction: Transaction<Schema>,
  { teamId, accountId }: { teamId: string; accountId: string },
): Promise<void> {
  await transaction
    .deleteFrom("links")
    .where("team_id", "=", teamId)
    .where("account_id", "=", accountId)
    .execute();
}

/** As in the list of accounts: keys that have neither expired nor been revoked. */
const liveKeys = (now: Date, teamId = sql`teams.id`) =>
  sql<number>`(select count(*) from keys where keys.account_id = ${teamId}
    and (revoked_at is null or revoked_at > ${now.getTime()})
    and (expires_at is null or expires_at > ${now.getTime()}))`;

const toTeam = (row: JoinedTeamRow): Team => ({
  ...toAccount(row),
  name: row.email,
  quotas: toQuotas(row),
  joinDomain: row.join_domain,
  allowFrom: toList(row.allow_from),
  secondFactor:
    row.second_factor_days === null || row.second_factor_since === null
      ? null
      : { graceDays: row.second_factor_days, since: new Date(row.second_factor_since) },
});

const toMembership = (row: MembershipRow & Pick<AccountRow, "email" | "suspended_at">): Membership => ({
  teamId: row.team_id,
  accountId: row.account_id,
  email: row.email,
  suspendedAt: toTime(row.suspended_at),
  role: row.role,
  limits: toLimits(row),
  joinedAt: new Date(row.created_at),
  providerId: row.provider_id,
});

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");
