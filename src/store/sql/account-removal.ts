/**
 * Ends an account's access, and removes what is stored about it.
 *
 * Everything that belongs to an account references its row and is deleted with it, except for the audit trail, which
 * is also about the service. The lines about what the account did to itself and its keys are deleted; in the others
 * fixed words replace the ids, so that nothing identifies the account or links one line to another. The rows of
 * `changes` must keep the ids for as long as a server may not have read them; they are deleted within two hours.
 */
import { sql, type Kysely, type Transaction } from "kysely";
import { deletedAccount, deletedKey } from "../../core/audit.js";
import { emailHash } from "../../core/sign-in/secret-token.js";
import { OnlyOwner } from "../../core/store.js";
import { deleteRow, findRow } from "./by-columns.js";
import type { Schema } from "./schema.js";
import { endSessions } from "./session-rows.js";
import { isOnlyOwner, lockTeam } from "./team-owners.js";

/** Ends its sessions, sign-ins in progress, and the links with which its password could be set. */
export async function endAccess(transaction: Transaction<Schema>, id: string): Promise<void> {
  await endSessions(transaction, id, null);
  await transaction.deleteFrom("links").where("account_id", "=", id).execute();
  await transaction.deleteFrom("sign_in_steps").where("account_id", "=", id).execute();
}

/** Does nothing for an account that no longer exists. Rejects with `OnlyOwner`. */
export async function removeAccount(transaction: Transaction<Schema>, id: string): Promise<void> {
  const account = await findRow(transaction, "accounts", { id });
  if (account === undefined) return;
  await requireOtherOwners(transaction, id);
  const ownKeys = transaction.selectFrom("keys").select("id").where("account_id", "=", id);
  const teamKeys = transaction.selectFrom("keys").select("id").where("member_id", "=", id);
  const byAccount = transaction.deleteFrom("audit").where("actor", "=", id);
  await byAccount.where("target", "=", id).execute();
  await byAccount.where("target", "in", ownKeys).execute();
  await transaction
    .updateTable("audit")
    .set({ actor: deletedAccount, actor_key: null })
    .where("actor", "=", id)
    .execute();
  await transaction.updateTable("audit").set({ target: deletedAccount }).where("target", "=", id).execute();
  await transaction.updateTable("audit").set({ target: deletedKey }).where("target", "in", ownKeys).execute();
  await transaction
    .updateTable("audit")
    .set({ target: deletedKey })
    .where("target", "in", teamKeys)
    .execute();
  // Invitations to the address, which is stored as a hash.
  await transaction.deleteFrom("links").where("email_hash", "=", emailHash(account.email)).execute();
  await deleteRow(transaction, "accounts", { id });
}

/** Of every team that the account owns. In the order of their ids, so that two accounts do not deadlock. */
async function requireOtherOwners(transaction: Transaction<Schema>, id: string): Promise<void> {
  const owned = await transaction
    .selectFrom("memberships")
    .innerJoin("accounts", "accounts.id", "memberships.team_id")
    .select(["accounts.id", "accounts.email"])
    .where("memberships.account_id", "=", id)
    .where("memberships.role", "=", "owner")
    .orderBy("accounts.id")
    .execute();
  const names: string[] = [];
  for (const team of owned) {
    await lockTeam(transaction, team.id);
    if (await isOnlyOwner(transaction, team.id, id)) names.push(team.email);
  }
  if (names.length > 0) throw new OnlyOwner(names);
}

/**
 * Removes the ids of deleted accounts and keys from the lines from `firstId` on: they were written by requests that
 * were running at the time of the deletion.
 */
export async function forgetDeleted(db: Kysely<Schema>, firstId: string): Promise<void> {
  const forget = async (
    column: "actor" | "target",
    table: "accounts" | "keys",
    prefix: string,
    word: string,
  ) => {
    await sql`update audit set ${sql.ref(column)} = ${word}
      where id >= ${firstId} and substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix} and not exists
      (select 1 from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${sql.ref(`audit.${column}`)})`.execute(
      db,
    );
  };
  await forget("actor", "accounts", "acc_", deletedAccount);
  await forget("target", "accounts", "acc_", deletedAccount);
  await forget("target", "accounts", "team_", deletedAccount);
  await forget("target", "keys", "key_", deletedKey);
  await sql`update audit set actor_key = null where id >= ${firstId} and actor = ${deletedAccount}`.execute(
    db,
  );
}
