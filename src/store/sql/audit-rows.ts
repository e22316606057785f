/**
 * The audit trail, in SQL. Ids begin with the time and then count, in hexadecimal, so that their order as
 * text is the order of what happened, in any database and any locale.
 */
import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { AuditFilter, AuditLine, AuditRecord, AuditStore } from "../../core/audit.js";
import { forgetDeleted } from "./account-removal.js";
import { batchRows, inBatches } from "./batches.js";
import type { Schema } from "./schema.js";
import { findAuditLines, firstIdAt } from "./search/audit-search.js";

export class SqlAudit implements AuditStore {
  #count = 0;

  constructor(private readonly db: Kysely<Schema>) {}

  async add({ at, actor, action, target }: Omit<AuditRecord, "id">): Promise<void> {
    const id = this.#nextId(at);
    await this.db.insertInto("audit").values({ id, at: at.getTime(), actor, action, target }).execute();
  }

  list(before: string | null, limit: number, filter: AuditFilter = {}): Promise<AuditLine[]> {
    return findAuditLines(this.db, before, limit, filter);
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
