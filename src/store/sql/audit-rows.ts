/**
 * The audit trail, in SQL. Ids begin with the time and then count, in hexadecimal, so that they sort by time in any
 * database and locale. Every filter has an index that ends with the id, so a page is read in order and no more of the
 * trail than it takes.
 */
import { randomBytes } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { AuditFilter, AuditLine, AuditStore, NewAuditRecord } from "../../core/audit.js";
import { forgetDeleted } from "./account-removal.js";
import type { Db } from "./schema.js";
import { deleteInBatches } from "./statements.js";

export class SqlAudit implements AuditStore {
  #count = 0;

  constructor(private readonly db: Db) {}

  async add({ at, actor, actorKey = null, action, target }: NewAuditRecord): Promise<void> {
    const id = this.#nextId(at);
    await this.db
      .insertInto("audit")
      .values({ id, at: at.getTime(), actor, actor_key: actorKey, action, target })
      .execute();
  }

  async list(before: string | null, limit: number, filter: AuditFilter = {}): Promise<AuditLine[]> {
    const conditions = conditionsOf(before, filter);
    let query = this.db
      .selectFrom("audit")
      .leftJoin("accounts as actors", "actors.id", "audit.actor")
      .leftJoin("keys as actor_keys", "actor_keys.id", "audit.actor_key")
      .leftJoin("accounts as targets", "targets.id", "audit.target")
      .leftJoin("keys", "keys.id", "audit.target")
      .leftJoin("accounts as owners", "owners.id", "keys.account_id")
      .selectAll("audit")
      .select([
        "actors.email as actor_email",
        "actor_keys.name as actor_key_name",
        "actor_keys.last_four as actor_key_last_four",
        "targets.email as target_email",
        "keys.name as key_name",
        "keys.last_four as key_last_four",
        "keys.account_id as key_account_id",
        "owners.email as key_owner",
      ]);
    query =
      filter.account === undefined
        ? conditions.reduce((narrowed, condition) => narrowed.where(condition), query)
        : query.where("audit.id", "in", idsAbout(filter.account, conditions, limit));
    const rows = await query.orderBy("audit.id", "desc").limit(limit).execute();
    return rows.map((row) => ({
      id: row.id,
      at: new Date(row.at),
      actor: row.actor,
      actorKey: row.actor_key,
      action: row.action,
      target: row.target,
      actorEmail: row.actor_email,
      actorKeyName:
        row.actor_key_name === null || row.actor_key_last_four === null
          ? null
          : { name: row.actor_key_name, lastFour: row.actor_key_last_four },
      targetEmail: row.target_email,
      targetKey:
        row.key_name === null || row.key_last_four === null || row.key_account_id === null
          ? null
          : {
              name: row.key_name,
              lastFour: row.key_last_four,
              accountId: row.key_account_id,
              ownerEmail: row.key_owner,
            },
    }));
  }

  prune(before: Date): Promise<void> {
    return deleteInBatches(this.db, "audit", { id: ["<", firstIdAt(before)] });
  }

  async forgetDeleted(since: Date): Promise<void> {
    await forgetDeleted(this.db, firstIdAt(since));
  }

  #nextId(at: Date): string {
    this.#count = (this.#count + 1) % 0x1_0000_0000;
    const count = this.#count.toString(16).padStart(8, "0");
    return `${firstIdAt(at)}${count}${randomBytes(6).toString("hex")}`;
  }
}

/** Ids of this time and later sort after it, those of earlier times before. */
const firstIdAt = (time: Date): string => time.getTime().toString(16).padStart(12, "0");

function conditionsOf(
  before: string | null,
  { actor, action, from, to }: AuditFilter,
): RawBuilder<boolean>[] {
  return [
    before === null ? [] : [sql<boolean>`audit.id < ${before}`],
    actor === undefined ? [] : [sql<boolean>`audit.actor = ${actor}`],
    action === undefined ? [] : [sql<boolean>`audit.action = ${action}`],
    from === undefined ? [] : [sql<boolean>`audit.id >= ${firstIdAt(from)}`],
    to === undefined ? [] : [sql<boolean>`audit.id < ${firstIdAt(to)}`],
  ].flat();
}

/**
 * Lines by the account, about it or about its keys. Each part uses an index; one condition with `or` would read all.
 */
export function idsAbout(
  account: string,
  conditions: readonly RawBuilder<boolean>[],
  limit: number,
): RawBuilder<string> {
  const part = (name: string, scope: RawBuilder<boolean>) =>
    sql`select id from (select id from audit where ${sql.join([scope, ...conditions], sql` and `)}
      order by id desc limit ${limit}) as ${sql.ref(name)}`;
  const parts = [
    part("by_account", sql<boolean>`audit.actor = ${account}`),
    part("to_account", sql<boolean>`audit.target = ${account}`),
    part("to_keys", sql<boolean>`audit.target in (select id from keys where account_id = ${account})`),
  ];
  return sql<string>`(${sql.join(parts, sql` union `)})`;
}
