/** Sign-ins in progress, in SQL. */
import { type Kysely, sql } from "kysely";
import type { SignInStep, StepKind, StepStore } from "../../core/factors/ports.js";
import { deleteInBatches } from "./batches.js";
import { deleteRow, findRow } from "./by-columns.js";
import { fromRow, type Row, toRow } from "./entity-rows.js";
import type { Schema } from "./schema.js";

export class SqlSignInSteps implements StepStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async create(step: SignInStep): Promise<void> {
    await this.db.insertInto("sign_in_steps").values(toRow(step)).execute();
  }

  async find(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    return liveStep(await findRow(this.db, "sign_in_steps", { hash, kind }), now);
  }

  async take(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    return liveStep(await deleteRow(this.db, "sign_in_steps", { hash, kind }), now);
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "sign_in_steps", sql`expires_at <= ${now.getTime()}`);
  }
}

const liveStep = (row: Row<SignInStep> | undefined, now: Date): SignInStep | null =>
  row !== undefined && row.expires_at > now.getTime() ? fromRow<SignInStep>(row) : null;
