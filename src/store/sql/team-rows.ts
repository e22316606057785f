/**
 * Teams and their members, in SQL. A team is a row of `accounts`, so that keys, usage and quotas belong to it as to any
 * account; what only teams have is in `teams`.
 */
import { sql, type RawBuilder } from "kysely";
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
import { isOnlyOwner, lockTeam, removeAccount } from "./account-removal.js";
import { liveKeys } from "./account-rows.js";
import type { NoteChange, SqlChanges } from "./change-rows.js";
import { consumeLink, toLink } from "./link-rows.js";
import { fromLimits, fromQuotas, toAccount, toLimits, toList, toPlan, toQuotas, toTime } from "./rows.js";
import type { AccountRow, Db, DbTransaction, MembershipRow, TeamRow } from "./schema.js";
import {
  addRow,
  deleteRow,
  escapeLike,
  findRow,
  findRows,
  ifFound,
  inTransaction,
  notEndedAt,
  updateRow,
  updateRows,
} from "./statements.js";

type Member = Pick<MembershipRow, "team_id" | "account_id">;
type JoinedTeamRow = AccountRow & Omit<TeamRow, "id">;

export class SqlTeams implements TeamStore {
  constructor(
    private readonly db: Db,
    private readonly changes: SqlChanges,
    private readonly clock: Clock,
  ) {}

  async create({ name, planId, ownerId }: Parameters<TeamStore["create"]>[0]): Promise<Team> {
    const id = newId("team");
    const created_at = this.clock.now().getTime();
    await inTransaction(this.db, async (transaction) => {
      const account = {
        ...{ id, kind: "team" as const, email: name, email_lower: id.toLowerCase(), email_verified_at: null },
        ...{ password_hash: null, role: "user" as const, plan_id: planId, suspended_at: null, created_at },
      };
      await transaction.insertInto("accounts").values(account).execute();
      const team = {
        ...{ id, join_domain: null, ...fromQuotas(noQuotas), allow_from: null, external_id: null },
        ...{ second_factor_days: null, second_factor_since: null },
      };
      await transaction.insertInto("teams").values(team).execute();
      if (ownerId === null) return;
      await insertMember(transaction, { team_id: id, account_id: ownerId, role: "owner", created_at });
    });
    const team = await this.find(id);
    if (team === null) throw new Error("A team that was just created is gone.");
    return team;
  }

  async find(id: string): Promise<Team | null> {
    return ifFound(await teamsIn(this.db).where("teams.id", "=", id).executeTakeFirst(), toTeam);
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
      .select([
        sql<number>`(select count(*) from memberships where team_id = teams.id)`.as("members"),
        liveKeys(now, sql`teams.id`).as("live"),
      ])
      .orderBy(byName)
      .limit(limit)
      .offset(offset)
      .execute();
    const teams = rows.map(({ members, live: liveKeys, ...row }) => ({
      team: toTeam(row),
      members,
      liveKeys,
    }));
    return { teams, total: await countTeams(this.db, found) };
  }

  async ofAccount(accountId: string): Promise<{ team: Team; role: TeamRole }[]> {
    const rows = await this.#ofAccount(accountId).orderBy(byName).execute();
    return rows.map((row) => ({ team: toTeam(row), role: row.team_role }));
  }

  async byDomain(domain: string, limit: number): Promise<Team[]> {
    const rows = await teamsIn(this.db)
      .where("teams.join_domain", "=", domain)
      .where("accounts.suspended_at", "is", null)
      .orderBy(byName)
      .limit(limit)
      .execute();
    return rows.map(toTeam);
  }

  async change(id: string, change: TeamChange): Promise<Team | null> {
    const { name: email, planId: plan_id } = change;
    await this.changes.with("account_changed", id, async (transaction) => {
      await updateRow(transaction, "accounts", { id, kind: "team" }, { email, plan_id });
      await updateRow(transaction, "teams", { id }, teamColumns(change));
    });
    return this.find(id);
  }

  async setSuspended(id: string, at: Date | null): Promise<void> {
    await this.changes.with(at === null ? "account_changed" : "account_ended", id, (transaction) =>
      updateRow(transaction, "accounts", { id, kind: "team" }, { suspended_at: at?.getTime() ?? null }),
    );
  }

  async count(id: string, now: Date): Promise<TeamCounts> {
    const counted = sql<TeamCounts>`select
      (select count(*) from memberships where team_id = ${id}) as "members",
      (select count(*) from keys where account_id = ${id}) as "keys",
      ${liveKeys(now, sql`${id}`)} as "liveKeys",
      (select count(*) from links where team_id = ${id} and expires_at > ${now.getTime()}) as "invitations"`;
    const { rows } = await counted.execute(this.db);
    return rows[0] ?? { members: 0, keys: 0, liveKeys: 0, invitations: 0 };
  }

  async remove(id: string): Promise<void> {
    await this.changes.with("account_ended", id, (transaction) => removeAccount(transaction, id));
    await this.changes.eraseTraces();
  }

  async membership(id: string, accountId: string): Promise<Membership | null> {
    const member = this.#members(id).where("memberships.account_id", "=", accountId);
    return ifFound(await member.executeTakeFirst(), toMembership);
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
    const created_at = this.clock.now().getTime();
    const member = { team_id: id, account_id: accountId, role, created_at, provider_id: providerId };
    return insertMember(this.db, member);
  }

  setRole(id: string, accountId: string, role: TeamRole, at: Date): Promise<MemberOutcome> {
    return this.#unlessLastOwner(id, accountId, role !== "owner", async (transaction, note) => {
      const member = { team_id: id, account_id: accountId };
      const changed = await updateRow(transaction, "memberships", member, { role });
      if (role === "viewer") await revokeKeys(transaction, note, member, at);
      if (role !== "owner") await revokeInvites(transaction, member);
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
      const member = { team_id: id, account_id: accountId };
      const removed = await deleteRow(transaction, "memberships", member);
      await revokeKeys(transaction, note, member, at);
      await revokeInvites(transaction, member);
      return removed !== undefined;
    });
  }

  async listInvites(id: string, now: Date, limit: number): Promise<NewLink[]> {
    const open = { team_id: id, expires_at: [">", now] } as const;
    return (await findRows(this.db, "links", open, ["created_at desc"], limit)).map(toLink);
  }

  async revokeInvite(id: string, hash: Uint8Array): Promise<boolean> {
    return (await deleteRow(this.db, "links", { hash, team_id: id })) !== undefined;
  }

  acceptInvite(...[hash, account, now]: Parameters<TeamStore["acceptInvite"]>): Promise<Team | null> {
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
    change: (transaction: DbTransaction, note: NoteChange) => Promise<boolean>,
  ): Promise<MemberOutcome> {
    return this.changes.transaction(async (transaction, note) => {
      await lockTeam(transaction, id);
      if (losesOwner && (await isOnlyOwner(transaction, id, accountId))) return "last_owner";
      return (await change(transaction, note)) ? "done" : "none";
    });
  }
}

export async function countTeams(db: Db, found: RawBuilder<boolean>): Promise<number> {
  const { total } = await db
    .selectFrom("teams")
    .innerJoin("accounts", "accounts.id", "teams.id")
    .where(found)
    .select((select) => select.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

const byName = sql`lower(accounts.email), teams.id`;

const teamsIn = (db: Db) =>
  db.selectFrom("teams").innerJoin("accounts", "accounts.id", "teams.id").selectAll(["teams", "accounts"]);

/** Of the table `teams`, those that the change is about. */
const teamColumns = ({ quotas, joinDomain, allowFrom, secondFactor }: TeamChange) => ({
  ...(quotas === undefined ? {} : fromQuotas(quotas)),
  join_domain: joinDomain,
  allow_from: allowFrom === null ? null : allowFrom?.join(","),
  second_factor_days: secondFactor === null ? null : secondFactor?.graceDays,
  second_factor_since: secondFactor === null ? null : secondFactor?.since.getTime(),
});

/** False when the account is in the team already. */
async function insertMember(
  db: Db,
  member: Pick<MembershipRow, "team_id" | "account_id" | "role" | "created_at"> & Partial<MembershipRow>,
): Promise<boolean> {
  const row = { provider_id: null, ...fromLimits(noKeyLimits), ...member };
  return (await addRow(db, "memberships", row)) !== undefined;
}

/** What the member has running in the team ends on every server. */
async function revokeKeys(
  transaction: DbTransaction,
  note: NoteChange,
  { team_id, account_id }: Member,
  at: Date,
): Promise<void> {
  const live = { account_id: team_id, member_id: account_id, revoked_at: notEndedAt(at) };
  const revoked = await updateRows(transaction, "keys", live, { revoked_at: at.getTime() });
  for (const { id } of revoked) note("key_ended", id);
  // In the playground there is no key to end.
  note("account_changed", account_id);
}

/** Those that this member has made: they could be used to come back, or for what the member may not give any more. */
const revokeInvites = (transaction: DbTransaction, member: Member) => deleteRow(transaction, "links", member);

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
