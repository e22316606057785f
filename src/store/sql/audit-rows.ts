/**
 * The audit trail, in SQL. Ids begin with the time and then count, in hexadecimal, so that their order as
 * text is the order of what happened, in any database and any locale.
 */
import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { AuditLine, AuditRecord, AuditStore } from "../../core/dashboard-ports.js";
import { forgetDeleted } from "./account-removal.js";
import { batchRows, inBatches } from "./batches.js";
import type { Schema } from "./schema.js";

export class SqlAudit implements AuditStore {
  #count = 0;

  constructor(private readonly db: Kysely<Schema>) {}

  async add({ at, actor, action, target }: Omit<AuditRecord, "id">): Promise<void> {
    const id = this.#nextId(at);
    await this.db.insertInto("audit").values({ id, at: at.getTime(), actor, action, target }).execute();
  }

  async list(before: string | null, limit: number): Promise<AuditLine[]> {
    let query = this.db
      .selectFrom("audit")
      .leftJoin("accounts as actors", "actors.id", "audit.actor")
      .leftJoin("accounts as targets", "targets.id", "audit.target")
      .selectAll("audit")
      .select(["actors.email as actor_email", "targets.email as target_email"]);
    if (before !== null) query = query.where("audit.id", "<", before);
    const rows = await query.orderBy("audit.id", "desc").limit(limit).execute();
    return rows.map((row) => ({
      id: row.id,
      at: new Date(row.at),
      actor: row.actor,
      action: row.action,
      target: row.target,
      actorEmail: row.actor_email,
      targetEmail: row.target_email,
    }));
  }

  /** By the id, which begins with the time and is indexed. */
  prune(before: Date): Promise<void> {
    const old = this.db
      .selectFrom("audit")
      .select("id")
      .where("id", "<", firstIdAt(before))
      .orderBy("id")
      .limit(batchRows);
    return inBatches(() => this.db.deleteFrom("audit").where("id", "in", old).executeTakeFirstOrThrow());
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
