/** Sign-ins in progress, in SQL. */
import { type Kysely, sql } from "kysely";
import type { SignInStep, StepKind, StepStore } from "../../core/factors/ports.js";
import { deleteInBatches } from "./batches.js";
import type { Schema, SignInStepRow } from "./schema.js";

export class SqlSignInSteps implements StepStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async create({ kind, hash, accountId, expiresAt }: SignInStep): Promise<void> {
    const row = { kind, hash, account_id: accountId, expires_at: expiresAt.getTime() };
    await this.db.insertInto("sign_in_steps").values(row).execute();
  }

  async find(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    const row = await this.db
      .selectFrom("sign_in_steps")
      .selectAll()
      .where("hash", "=", hash)
      .where("kind", "=", kind)
      .where("expires_at", ">", now.getTime())
      .executeTakeFirst();
    return row === undefined ? null : toStep(row);
  }

  async take(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    const row = await this.db
      .deleteFrom("sign_in_steps")
      .where("hash", "=", hash)
      .where("kind", "=", kind)
      .where("expires_at", ">", now.getTime())
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toStep(row);
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "sign_in_steps", sql`expires_at <= ${now.getTime()}`);
  }
}

const toStep = (row: SignInStepRow): SignInStep => ({
  kind: row.kind,
  hash: new Uint8Array(row.hash),
  accountId: row.account_id,
  expiresAt: new Date(row.expires_at),
});
