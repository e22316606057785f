/** Sign-ins in progress, in SQL. */
import { type Kysely, sql } from "kysely";
import type { SignInStep, StepKind, StepStore } from "../../core/factors/ports.js";
import { deleteInBatches } from "./batches.js";
import { findRow } from "./by-columns.js";
import { fromRow, toRow } from "./entity-rows.js";
import type { Schema } from "./schema.js";

export class SqlSignInSteps implements StepStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async create(step: SignInStep): Promise<void> {
    await this.db.insertInto("sign_in_steps").values(toRow(step)).execute();
  }

  async find(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    const row = await findRow(this.db, "sign_in_steps", { hash, kind });
    return row !== undefined && row.expires_at > now.getTime() ? fromRow<SignInStep>(row) : null;
  }

  async take(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    const row = await this.db
      .deleteFrom("sign_in_steps")
      .where("hash", "=", hash)
      .where("kind", "=", kind)
      .where("expires_at", ">", now.getTime())
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : fromRow<SignInStep>(row);
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "sign_in_steps", sql`expires_at <= ${now.getTime()}`);
  }
}
