/**
 * Every change that takes an owner away from a team first locks the team's row, then counts the remaining owners.
 * Without the lock two concurrent changes could each see the other owner, and remove both.
 */
import type { Transaction } from "kysely";
import { updateRow } from "./by-columns.js";
import type { Schema } from "./schema.js";

/** Until the transaction ends. */
export async function lockTeam(transaction: Transaction<Schema>, id: string): Promise<void> {
  await updateRow(transaction, "teams", { id }, { id });
}

/** Call it with the team locked. */
export async function isOnlyOwner(
  transaction: Transaction<Schema>,
  teamId: string,
  accountId: string,
): Promise<boolean> {
  const owners = await transaction
    .selectFrom("memberships")
    .select("account_id")
    .where("team_id", "=", teamId)
    .where("role", "=", "owner")
    .limit(2)
    .execute();
  return owners.length === 1 && owners[0]?.account_id === accountId;
}
