import type { Transaction } from "kysely";
import type { Plan } from "../../core/entities.js";
import type { Schema } from "./schema.js";

/** What a migration may need beside the connection. */
export interface MigrationContext {
  /** How this database calls a column of bytes. */
  bytesType: "blob" | "bytea";
  /** The plan that a new database starts with. */
  defaultPlan: Plan;
}

export interface Migration {
  name: string;
  up: (db: Transaction<Schema>, context: MigrationContext) => Promise<void>;
}
