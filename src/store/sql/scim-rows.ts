/** Users and groups of SCIM, in SQL. What SCIM says about an account is in `scim_users`. */
import { sql, type RawBuilder } from "kysely";
import {
  DuplicateUserName,
  type GroupFilter,
  type NewScimUser,
  type ScimGroup,
  type ScimMember,
  type ScimPage,
  type ScimStore,
  type ScimUser,
  type UserFilter,
} from "../../core/scim/ports.js";
import { insertAccount, isTaken } from "./account-rows.js";
import { fromRow, toAccount, toRow, toTime } from "./rows.js";
import type { AccountRow, Db, ScimUserRow, TeamRow } from "./schema.js";
import { ifFound, inTransaction, putRow, updateRow } from "./statements.js";
import { countTeams } from "./team-rows.js";

export class SqlScim implements ScimStore {
  constructor(private readonly db: Db) {}

  async findUser(id: string): Promise<ScimUser | null> {
    return ifFound(await this.#users().where("accounts.id", "=", id).executeTakeFirst(), toUser);
  }

  async listUsers(
    filter: UserFilter | null,
    { offset, limit }: ScimPage,
  ): Promise<{ users: ScimUser[]; total: number }> {
    const found = filter === null ? sql<boolean>`1 = 1` : userCondition(filter);
    const rows = await this.#users()
      .where(found)
      .orderBy("accounts.created_at")
      .orderBy("accounts.id")
      .limit(limit)
      .offset(offset)
      .execute();
    const { total } = await this.db
      .selectFrom("accounts")
      .leftJoin("scim_users", "scim_users.account_id", "accounts.id")
      .where(isUser)
      .where(found)
      .select((select) => select.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    return { users: rows.map(toUser), total };
  }

  createUser({ email, userName, externalId, planId }: NewScimUser, now: Date): Promise<ScimUser> {
    return inTransaction(this.db, async (transaction) => {
      const account = await insertAccount(
        transaction,
        { email, passwordHash: null, role: "user", planId },
        now,
      );
      const user = { account, userName, externalId, inactiveSince: null };
      await saveName(transaction, { id: account.id, ...user });
      return user;
    });
  }

  nameUser(user: Parameters<ScimStore["nameUser"]>[0]): Promise<void> {
    return saveName(this.db, user);
  }

  async findGroup(id: string): Promise<ScimGroup | null> {
    return ifFound(await this.#groups().where("teams.id", "=", id).executeTakeFirst(), toGroup);
  }

  async listGroups(
    filter: GroupFilter | null,
    { offset, limit }: ScimPage,
  ): Promise<{ groups: ScimGroup[]; total: number }> {
    const found =
      filter === null
        ? sql<boolean>`1 = 1`
        : sql<boolean>`${sql.ref(groupColumns[filter.attribute])} = ${filter.value}`;
    const rows = await this.#groups()
      .where(found)
      .orderBy("accounts.created_at")
      .orderBy("teams.id")
      .limit(limit)
      .offset(offset)
      .execute();
    return { groups: rows.map(toGroup), total: await countTeams(this.db, found) };
  }

  async setExternalId(groupId: string, externalId: string | null): Promise<void> {
    await updateRow(this.db, "teams", { id: groupId }, { external_id: externalId });
  }

  async members(groupIds: readonly string[]): Promise<ScimMember[]> {
    if (groupIds.length === 0) return [];
    const rows = await this.#users()
      .innerJoin("memberships", "memberships.account_id", "accounts.id")
      .select("memberships.team_id")
      .where("memberships.team_id", "in", groupIds)
      .orderBy("memberships.created_at")
      .orderBy("accounts.id")
      .execute();
    return rows.map((row) => ({ groupId: row.team_id, id: row.id, userName: row.user_name ?? row.email }));
  }

  #users() {
    return this.db
      .selectFrom("accounts")
      .leftJoin("scim_users", "scim_users.account_id", "accounts.id")
      .selectAll("accounts")
      .select(["scim_users.user_name", "scim_users.external_id", "scim_users.inactive_since"])
      .where(isUser);
  }

  #groups() {
    return this.db
      .selectFrom("teams")
      .innerJoin("accounts", "accounts.id", "teams.id")
      .select(["teams.id", "teams.external_id", "accounts.email", "accounts.created_at"]);
  }
}

/** See ports.ts: those that SCIM created or has named, and those that a provider signs in. */
const isUser = sql<boolean>`(scim_users.account_id is not null
  or exists (select 1 from oidc_identities where oidc_identities.account_id = accounts.id))`;

const groupColumns = {
  id: "teams.id",
  displayName: "accounts.email",
  externalId: "teams.external_id",
} as const satisfies Record<GroupFilter["attribute"], string>;

/** Each can be found by an index. */
function userCondition({ attribute, value }: UserFilter): RawBuilder<boolean> {
  const lower = value.toLowerCase();
  switch (attribute) {
    case "id":
      return sql`accounts.id = ${value}`;
    case "email":
      return sql`accounts.email_lower = ${lower}`;
    case "externalId":
      return sql`accounts.id in (select account_id from scim_users where external_id = ${value})`;
    case "userName":
      return sql`accounts.id in (select account_id from scim_users where user_name_lower = ${lower}
        union select id from accounts where email_lower = ${lower}
          and not exists (select 1 from scim_users where scim_users.account_id = accounts.id))`;
  }
}

async function saveName(
  db: Db,
  { id, userName, externalId, inactiveSince }: Parameters<ScimStore["nameUser"]>[0],
): Promise<void> {
  try {
    await putRow(db, "scim_users", {
      ...toRow({ accountId: id, userName, externalId, inactiveSince }),
      user_name_lower: userName.toLowerCase(),
    });
  } catch (error) {
    throw isTaken(error) ? new DuplicateUserName() : error;
  }
}

type JoinedUserRow = AccountRow & {
  [Column in "user_name" | "external_id" | "inactive_since"]: ScimUserRow[Column] | null;
};

const toUser = (row: JoinedUserRow): ScimUser => ({
  account: toAccount(row),
  userName: row.user_name ?? row.email,
  externalId: row.external_id,
  inactiveSince: toTime(row.inactive_since),
});

type JoinedGroupRow = Pick<TeamRow, "id" | "external_id"> & Pick<AccountRow, "email" | "created_at">;

const toGroup = ({ email: name, ...row }: JoinedGroupRow): ScimGroup => ({
  name,
  ...fromRow<Omit<ScimGroup, "name">>(row),
});
