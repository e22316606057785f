/** The keys of an account, all or a page of them, by an index on when they were created. */
import { sql, type Kysely } from "kysely";
import type { ApiKey } from "../../../core/entities.js";
import type { Store } from "../../../core/store.js";
import { toKey } from "../rows.js";
import type { Schema } from "../schema.js";

/** The oldest first. */
export async function listKeys(db: Kysely<Schema>, accountId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom("keys")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toKey);
}

export async function pageOfKeys(
  db: Kysely<Schema>,
  ...[accountId, after, limit]: Parameters<Store["pageOfKeys"]>
): Promise<ApiKey[]> {
  let query = db.selectFrom("keys").selectAll().where("account_id", "=", accountId);
  if (after !== null) {
    query = query.where(sql<boolean>`(created_at, id) < (${after.createdAt.getTime()}, ${after.id})`);
  }
  const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map(toKey);
}
