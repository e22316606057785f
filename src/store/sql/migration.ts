import type { RawBuilder, Transaction } from "kysely";
import type { Plan } from "../../core/entities.js";
import type { Schema } from "./schema.js";

/** What a migration may need besides the connection. */
export interface MigrationContext {
  /** This database's type for bytes. */
  bytesType: "blob" | "bytea";
  /** The plan that a new database starts with. */
  defaultPlan: Plan;
}

export interface Migration {
  number: number;
  name: string;
  up: (db: Transaction<Schema>, context: MigrationContext) => Promise<void>;
}

export async function executeAll(
  db: Transaction<Schema>,
  statements: readonly RawBuilder<unknown>[],
): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
