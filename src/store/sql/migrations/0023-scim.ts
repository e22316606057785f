import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/**
 * Accounts and teams that another system manages over SCIM; memberships that an identity provider's groups made; networks
 * and a required second factor of teams. Replicas of the version before go on without them: until they are replaced they
 * enforce neither.
 */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema.alterTable("teams").addColumn("allow_from", "text").execute();
  await db.schema.alterTable("teams").addColumn("second_factor_days", "bigint").execute();
  await db.schema.alterTable("teams").addColumn("second_factor_since", "bigint").execute();
  await db.schema.alterTable("teams").addColumn("external_id", "text").execute();
  await db.schema.alterTable("memberships").addColumn("provider_id", "text").execute();
  await db.schema
    .createTable("scim_users")
    .addColumn("account_id", "text", (column) =>
      column.primaryKey().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("user_name", "text", (column) => column.notNull())
    .addColumn("user_name_lower", "text", (column) => column.notNull().unique())
    .addColumn("external_id", "text")
    .addColumn("inactive_since", "bigint")
    .execute();
  await db.schema.createIndex("scim_users_by_external_id").on("scim_users").column("external_id").execute();
  await db.schema.createIndex("teams_by_external_id").on("teams").column("external_id").execute();
}
