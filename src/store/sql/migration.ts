import type { RawBuilder } from "kysely";
import type { Plan } from "../../core/entities.js";
import type { DbTransaction } from "./schema.js";

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
  up: (db: DbTransaction, context: MigrationContext) => Promise<void>;
}

/** What most migrations are: statements, one after the other. */
export const statements =
  (list: (context: MigrationContext) => readonly RawBuilder<unknown>[]): Migration["up"] =>
  async (db, context) => {
    for (const statement of list(context)) await statement.execute(db);
  };
