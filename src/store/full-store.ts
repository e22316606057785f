/**
 * The store in SQL, the same on every database that Kysely supports. What must hold under concurrent callers (one
 * account per email, one value per setting) is enforced by the database, with `on conflict`, not by reading first and
 * writing later.
 */
import { sql } from "kysely";
import type { ChangeKind } from "../core/replicas/changes.js";
import type { ServiceStore } from "../core/admin/ports.js";
import { newId } from "../core/keys/ids.js";
import {
  type Account,
  type ApiKey,
  type KeyMember,
  type KeyRecord,
  type Plan,
  withQuotas,
} from "../core/entities.js";
import type { Clock } from "../core/clock.js";
import type { KeyChange, KeyUse, NewAccount, NewKey, Store } from "../core/store.js";
import { endAccess, removeAccount } from "./sql/account-removal.js";
import { insertAccount, SqlAccounts } from "./sql/account-rows.js";
import { SqlAudit } from "./sql/audit-rows.js";
import { SqlChanges, type WholeTransaction } from "./sql/change-rows.js";
import { SqlFactors, SqlSignInSteps } from "./sql/factor-rows.js";
import { SqlLinks } from "./sql/link-rows.js";
import { SqlNews } from "./sql/news-rows.js";
import {
  fromLimits,
  fromPlan,
  fromTags,
  startOfDayMs,
  toAccount,
  toKey,
  toLimits,
  toList,
  toPlan,
  toQuotas,
  toTime,
} from "./sql/rows.js";
import type { AccountRow, Db, KeyRow, LimitColumns, PlanRow, QuotaColumns } from "./sql/schema.js";
import { SqlScim } from "./sql/scim-rows.js";
import { SqlQuotas } from "./sql/usage/quota-rows.js";
import { SqlOperatorFacts } from "./sql/service/operator-rows.js";
import { SqlOutcomes } from "./sql/service/outcome-rows.js";
import { SqlServiceUsage } from "./sql/service/service-usage-rows.js";
import { SqlSessions } from "./sql/session-rows.js";
import { SqlSingleSignOn } from "./sql/single-sign-on-rows.js";
import { SqlStatementLog } from "./sql/statement-log-rows.js";
import {
  addRow,
  chunks,
  createdBefore,
  deleteRow,
  findRow,
  findRows,
  ifFound,
  inTransaction,
  notEndedAt,
  putRow,
  updateRow,
} from "./sql/statements.js";
import { SqlStored } from "./sql/stored-rows.js";
import { SqlTeams } from "./sql/team-rows.js";
import { SqlUsage } from "./sql/usage/usage-rows.js";
import { SqlWebhooks } from "./sql/webhook-rows.js";

/** Three bound values each. */
const touchedAtOnce = 1_000;

/** Everything that the store keeps. */
export class FullStore implements Store {
  readonly accounts: SqlAccounts;
  readonly sessions: SqlSessions;
  readonly singleSignOn: SqlSingleSignOn;
  readonly links: SqlLinks;
  readonly factors: SqlFactors;
  readonly signInSteps: SqlSignInSteps;
  readonly usage: SqlUsage;
  readonly quotas: SqlQuotas;
  readonly news: SqlNews;
  readonly audit: SqlAudit;
  readonly stored: SqlStored;
  readonly service: ServiceStore;
  readonly changes: SqlChanges;
  readonly statementLog: SqlStatementLog;
  readonly webhooks: SqlWebhooks;
  readonly teams: SqlTeams;
  readonly scim: SqlScim;
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #locksRows: boolean;

  /**
   * Owns the connection: `close` ends it. `locksRows`: the database locks rows, as Postgres does, and not the whole file,
   * as SQLite does. `within`: everything is part of this transaction, and `db` is it.
   */
  constructor(
    db: Db,
    clock: Clock,
    { locksRows = false, within }: { locksRows?: boolean; within?: WholeTransaction } = {},
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#locksRows = locksRows;
    this.changes = new SqlChanges(db, clock, { locksRows, within });
    this.accounts = new SqlAccounts(db, this.changes, locksRows);
    this.sessions = new SqlSessions(db, this.changes);
    this.singleSignOn = new SqlSingleSignOn(db, this.changes, locksRows);
    this.links = new SqlLinks(db, this.changes, clock);
    this.factors = new SqlFactors(db, this.changes);
    this.signInSteps = new SqlSignInSteps(db);
    this.usage = new SqlUsage(db, clock);
    this.quotas = new SqlQuotas(db);
    this.news = new SqlNews(db);
    this.audit = new SqlAudit(db);
    this.stored = new SqlStored(db);
    this.service = {
      usage: new SqlServiceUsage(db, clock),
      outcomes: new SqlOutcomes(db),
      facts: new SqlOperatorFacts(db),
    };
    this.statementLog = new SqlStatementLog(db);
    this.webhooks = new SqlWebhooks(db, locksRows);
    this.scim = new SqlScim(db);
    this.teams = new SqlTeams(db, this.changes, clock);
  }

  async createAccount(account: NewAccount): Promise<Account> {
    return insertAccount(this.#db, account, this.#clock.now());
  }

  async findAccountByEmail(email: string): Promise<Account | null> {
    return (await this.accounts.findCredentials(email))?.account ?? null;
  }

  async listAccounts(): Promise<Account[]> {
    const order = ["created_at", "email_lower"] as const;
    return (await findRows(this.#db, "accounts", { kind: "person" }, order)).map(toAccount);
  }

  async setAccountSuspended(id: string, suspendedAt: Date | null): Promise<void> {
    const kind = suspendedAt === null ? "account_changed" : "account_ended";
    await this.changes.with(kind, id, async (transaction) => {
      await updateRow(transaction, "accounts", { id }, { suspended_at: suspendedAt?.getTime() ?? null });
      if (suspendedAt !== null) await endAccess(transaction, id);
    });
  }

  async setAccountPlan(id: string, planId: string): Promise<void> {
    await this.changes.with("account_changed", id, (transaction) =>
      updateRow(transaction, "accounts", { id }, { plan_id: planId }),
    );
  }

  async deleteAccount(id: string): Promise<void> {
    await this.changes.with("account_ended", id, (transaction) => removeAccount(transaction, id));
    await this.eraseTraces();
  }

  async listPlans(): Promise<Plan[]> {
    return (await findRows(this.#db, "plans", {}, ["name", "id"])).map(toPlan);
  }

  async findPlan(id: string): Promise<Plan | null> {
    return ifFound(await findRow(this.#db, "plans", { id }), toPlan);
  }

  async putPlan(plan: Plan): Promise<void> {
    await this.changes.with("plans_changed", plan.id, (transaction) =>
      putRow(transaction, "plans", fromPlan(plan)),
    );
  }

  createKey(key: NewKey): Promise<ApiKey> {
    return insertKey(this.#db, key, this.#nowMs());
  }

  rotateKey(
    id: string,
    endsAt: Date,
    replacement: NewKey,
  ): Promise<{ key: ApiKey; replaced: ApiKey } | null> {
    return this.changes.transaction(async (transaction, note) => {
      const live = { id, revoked_at: null };
      const row = await updateRow(transaction, "keys", live, { revoked_at: endsAt.getTime() });
      if (row === undefined) return null;
      note(this.#endKind(endsAt), id);
      const replaced = toKey(row);
      return { key: await insertKey(transaction, replacement, this.#nowMs(), replaced), replaced };
    });
  }

  async findKeyByHash(hash: Uint8Array): Promise<KeyRecord | null> {
    return ifFound(await this.#keyRecords().where("keys.hash", "=", hash).executeTakeFirst(), toKeyRecord);
  }

  async findKeyRecord(id: string): Promise<KeyRecord | null> {
    return ifFound(await this.#keyRecords().where("keys.id", "=", id).executeTakeFirst(), toKeyRecord);
  }

  #keyRecords() {
    return (
      this.#db
        .selectFrom("keys")
        .innerJoin("accounts", "accounts.id", "keys.account_id")
        .innerJoin("plans", "plans.id", "accounts.plan_id")
        .leftJoin("teams", "teams.id", "keys.account_id")
        .leftJoin("memberships", (join) =>
          join
            .onRef("memberships.team_id", "=", "keys.account_id")
            .onRef("memberships.account_id", "=", "keys.member_id"),
        )
        .leftJoin("accounts as members", "members.id", "keys.member_id")
        // A member's key ends with the membership, and a viewer has none.
        .where((where) =>
          where.or([where("keys.member_id", "is", null), where("memberships.role", "<>", "viewer")]),
        )
        .selectAll("keys")
        .select([
          "accounts.kind as account_kind",
          "accounts.email as account_email",
          "accounts.role as account_role",
          "accounts.suspended_at as account_suspended_at",
          "accounts.email_verified_at as account_email_verified_at",
          "accounts.created_at as account_created_at",
          "plans.id as plan_id",
          "plans.name as plan_name",
          "plans.requests_per_minute as plan_requests_per_minute",
          "plans.tokens_per_minute as plan_tokens_per_minute",
          "plans.concurrent_requests as plan_concurrent_requests",
          "plans.requests_per_day as plan_requests_per_day",
          "plans.tokens_per_day as plan_tokens_per_day",
          "plans.requests_per_month as plan_requests_per_month",
          "plans.tokens_per_month as plan_tokens_per_month",
          "plans.max_keys as plan_max_keys",
          "plans.max_tokens as plan_max_tokens",
          "plans.models as plan_models",
          "plans.requires_encryption as plan_requires_encryption",
          "plans.weight as plan_weight",
          "teams.requests_per_day as team_requests_per_day",
          "teams.tokens_per_day as team_tokens_per_day",
          "teams.requests_per_month as team_requests_per_month",
          "teams.tokens_per_month as team_tokens_per_month",
          "teams.allow_from as team_allow_from",
          "members.suspended_at as member_suspended_at",
          "memberships.requests_per_minute as member_requests_per_minute",
          "memberships.tokens_per_minute as member_tokens_per_minute",
          "memberships.concurrent_requests as member_concurrent_requests",
          "memberships.requests_per_day as member_requests_per_day",
          "memberships.tokens_per_day as member_tokens_per_day",
          "memberships.requests_per_month as member_requests_per_month",
          "memberships.tokens_per_month as member_tokens_per_month",
        ])
    );
  }

  async findKey(id: string): Promise<ApiKey | null> {
    return ifFound(await findRow(this.#db, "keys", { id }), toKey);
  }

  async listKeys(accountId: string): Promise<ApiKey[]> {
    return (await findRows(this.#db, "keys", { account_id: accountId }, ["created_at", "id"])).map(toKey);
  }

  async pageOfKeys(
    ...[accountId, after, limit, memberId]: Parameters<Store["pageOfKeys"]>
  ): Promise<ApiKey[]> {
    const where = {
      account_id: accountId,
      ...(memberId == null ? {} : { member_id: memberId }),
      ...(after === null ? {} : { created_at: createdBefore(after) }),
    };
    return (await findRows(this.#db, "keys", where, ["created_at desc", "id desc"], limit)).map(toKey);
  }

  async revokeKey(id: string, at: Date): Promise<void> {
    await this.changes.with(this.#endKind(at), id, (transaction) =>
      updateRow(transaction, "keys", { id, revoked_at: notEndedAt(at) }, { revoked_at: at.getTime() }),
    );
  }

  updateKey(id: string, change: KeyChange): Promise<ApiKey | null> {
    const { name, models, limits, expiresAt, tags, allowFrom } = change;
    return this.changes.transaction(async (transaction, note) => {
      const set = {
        ...{ name, models: models?.join(",") ?? null, tags: fromTags(tags) },
        allow_from: allowFrom?.join(",") ?? null,
        ...{ expires_at: expiresAt?.getTime() ?? null, ...fromLimits(limits) },
      };
      const row = await updateRow(transaction, "keys", { id }, set);
      if (row === undefined) return null;
      note("key_changed", id);
      return toKey(row);
    });
  }

  /**
   * Replicas write in any order, so a day only ever moves forward. In Postgres an update locks rows in the order of its
   * query plan, and two replicas that touch the same keys could deadlock; so the rows are locked first, by id.
   */
  async touchKeys(lastUsed: ReadonlyMap<string, KeyUse>): Promise<void> {
    const sorted = [...lastUsed].sort(([a], [b]) => (a < b ? -1 : 1));
    const uses = sorted.map(
      ([id, { at, model }]) => sql`(${id}, cast(${startOfDayMs(at)} as bigint), cast(${model} as text))`,
    );
    if (uses.length === 0) return;
    await inTransaction(this.#db, async (transaction) => {
      if (this.#locksRows) {
        const ids = sorted.map(([id]) => id);
        for (const some of chunks(ids, touchedAtOnce)) await lockKeys(transaction, some);
      }
      for (const some of chunks(uses, touchedAtOnce)) {
        // `column1` and so on are what both SQLite and Postgres call the columns of a list of values.
        await sql`update keys set last_used_at = used.column2,
          last_used_model = coalesce(used.column3, keys.last_used_model)
          from (values ${sql.join(some)}) as used
          where keys.id = used.column1
          and (keys.last_used_at is null or keys.last_used_at < used.column2
            or (keys.last_used_at = used.column2 and used.column3 is not null
              and coalesce(keys.last_used_model, '') <> used.column3))`.execute(transaction);
      }
    });
  }

  async getSetting(name: string): Promise<string | null> {
    return (await findRow(this.#db, "settings", { name }))?.value ?? null;
  }

  async initSetting(name: string, value: string): Promise<string> {
    const added = await addRow(this.#db, "settings", { name, value });
    return added?.value ?? (await this.getSetting(name)) ?? value;
  }

  async setSetting(name: string, value: string): Promise<void> {
    const write = (db: Db) => putRow(db, "settings", { name, value });
    // The source of a model, which running servers follow.
    if (name.startsWith("model.")) await this.changes.with("models_changed", "", write);
    else await write(this.#db);
  }

  async deleteSetting(name: string): Promise<void> {
    await deleteRow(this.#db, "settings", { name });
  }

  async listSettingNames(prefix: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom("settings")
      .select("name")
      .where("name", "like", `${prefix}%`)
      .orderBy("name")
      .execute();
    // `_` stands for any character there.
    return rows.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }

  eraseTraces(): Promise<void> {
    return this.changes.eraseTraces();
  }

  /**
   * Everything that `work` does with the store it is given happens together, or not at all if it rejects. It must not use
   * this store meanwhile, and must not go on after an error.
   */
  async atomically<T>(work: (store: FullStore) => Promise<T>): Promise<T> {
    const locksRows = this.#locksRows;
    const result = await this.changes.transaction((transaction, note) =>
      work(new FullStore(transaction, this.#clock, { locksRows, within: { transaction, note } })),
    );
    await this.eraseTraces();
    return result;
  }

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.#db);
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }

  #endKind(at: Date): ChangeKind {
    return at.getTime() > this.#nowMs() ? "key_changed" : "key_ended";
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

async function insertKey(db: Db, key: NewKey, nowMs: number, replaced?: ApiKey): Promise<ApiKey> {
  const row = await db
    .insertInto("keys")
    .values({
      id: newId("key"),
      account_id: key.accountId,
      hash: key.hash,
      last_four: key.lastFour,
      name: key.name,
      models: key.models?.join(",") ?? null,
      operations: key.operations?.join(",") ?? null,
      ...fromLimits(key.limits),
      created_at: nowMs,
      expires_at: key.expiresAt?.getTime() ?? null,
      revoked_at: null,
      disabled_at: null,
      last_used_at: null,
      last_used_model: null,
      tags: fromTags(key.tags ?? []),
      replaces: replaced?.id ?? null,
      lineage: replaced?.lineage ?? null,
      allow_from: key.allowFrom?.join(",") ?? null,
      member_id: key.memberId ?? null,
      scopes: key.scopes === undefined || key.scopes.length === 0 ? null : key.scopes.join(","),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toKey(row);
}

type Prefixed<Prefix extends string, Columns> = {
  [Name in keyof Columns & string as `${Prefix}${Name}`]: Columns[Name];
};
type JoinedKeyRow = KeyRow &
  Prefixed<"account_", Omit<AccountRow, "plan_id" | "email_lower" | "password_hash">> &
  Prefixed<"plan_", PlanRow> &
  Prefixed<"team_", QuotaColumns & { allow_from: string | null }> &
  Prefixed<"member_", LimitColumns & { suspended_at: number | null }>;

function toKeyRecord(row: JoinedKeyRow): KeyRecord {
  const plan = withoutPrefix("plan_", row);
  const team = withoutPrefix("team_", row);
  const { id: memberId, ...member } = withoutPrefix("member_", row);
  const teamAllowFrom = toList(team.allow_from);
  return {
    key: toKey(row),
    account: toAccount({ ...withoutPrefix("account_", row), plan_id: plan.id }),
    plan: withQuotas(toPlan(plan), toQuotas(team)),
    ...(memberId === null ? {} : { member: toMember(memberId, member) }),
    ...(teamAllowFrom === null ? {} : { teamAllowFrom }),
  };
}

const toMember = (id: string, row: LimitColumns & { suspended_at: number | null }): KeyMember => ({
  id,
  suspendedAt: toTime(row.suspended_at),
  limits: toLimits(row),
});

type WithoutPrefix<Prefix extends string, Row> = {
  [Name in keyof Row as Name extends `${Prefix}${infer Rest}` ? Rest : never]: Row[Name];
};

/** The columns that begin with it. */
function withoutPrefix<Prefix extends string, Row extends object>(
  prefix: Prefix,
  row: Row,
): WithoutPrefix<Prefix, Row> {
  const columns: [string, unknown][] = Object.entries(row).filter(([name]) => name.startsWith(prefix));
  const renamed = columns.map(([name, value]) => [name.slice(prefix.length), value]);
  return Object.fromEntries(renamed) as WithoutPrefix<Prefix, Row>;
}

/** In byte order, which is that of JavaScript's sort, whatever the collation: chunks must be locked in one order. */
async function lockKeys(transaction: Db, ids: readonly string[]): Promise<void> {
  await sql`select id from keys where id in (${sql.join(ids)})
    order by id collate "C" for no key update`.execute(transaction);
}
