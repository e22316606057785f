/**
 * Ends an account's access, and removes what is stored about it.
 *
 * Everything that belongs to an account references its row and is deleted with it, except for the audit trail, which
 * is also about the service. The lines about what the account did to itself and its keys are deleted; in the others
 * fixed words replace the ids, so that nothing identifies the account or links one line to another. The rows of
 * `changes` must keep the ids for as long as a server may not have read them; they are deleted within two hours.
 */
import { sql } from "kysely";
import { deletedAccount, deletedKey } from "../../core/audit.js";
import { emailHash } from "../../core/sign-in/secret-token.js";
import { OnlyOwner } from "../../core/store.js";
import type { Db, DbTransaction } from "./schema.js";
import { endSessions } from "./session-rows.js";
import { deleteRow, findRow, updateRow } from "./statements.js";

/** Ends its sessions, sign-ins in progress, and the links with which its password could be set. */
export async function endAccess(transaction: DbTransaction, id: string): Promise<void> {
  await endSessions(transaction, id, null);
  await transaction.deleteFrom("links").where("account_id", "=", id).execute();
  await transaction.deleteFrom("sign_in_steps").where("account_id", "=", id).execute();
}

/** Does nothing for an account that no longer exists. Rejects with `OnlyOwner`. */
export async function removeAccount(transaction: DbTransaction, id: string): Promise<void> {
  const account = await findRow(transaction, "accounts", { id });
  if (account === undefined) return;
  await requireOtherOwners(transaction, id);
  const ownKeys = transaction.selectFrom("keys").select("id").where("account_id", "=", id);

  const byAccount = transaction.deleteFrom("audit").where("actor", "=", id);
  await byAccount.where("target", "=", id).execute();
  await byAccount.where("target", "in", ownKeys).execute();
  const inAudit = transaction.updateTable("audit");
  await inAudit.set({ actor: deletedAccount, actor_key: null }).where("actor", "=", id).execute();
  await inAudit.set({ target: deletedAccount }).where("target", "=", id).execute();
  await inAudit.set({ target: deletedKey }).where("target", "in", ownKeys).execute();
  const teamKeys = transaction.selectFrom("keys").select("id").where("member_id", "=", id);
  await inAudit.set({ target: deletedKey }).where("target", "in", teamKeys).execute();
  // Invitations to the address, which is stored as a hash.
  await transaction.deleteFrom("links").where("email_hash", "=", emailHash(account.email)).execute();
  await deleteRow(transaction, "accounts", { id });
}

/** Of every team that the account owns. In the order of their ids, so that two accounts do not deadlock. */
async function requireOtherOwners(transaction: DbTransaction, id: string): Promise<void> {
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
 * Until the transaction ends. Every change that takes an owner away from a team first locks the team's row, then counts
 * the remaining owners. Without the lock two concurrent changes could each see the other owner, and remove both.
 */
export async function lockTeam(transaction: DbTransaction, id: string): Promise<void> {
  await updateRow(transaction, "teams", { id }, { id });
}

/** Call it with the team locked. */
export async function isOnlyOwner(
  transaction: DbTransaction,
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

/**
 * Removes the ids of deleted accounts and keys from the lines from `firstId` on: they were written by requests that
 * were running at the time of the deletion.
 */
export async function forgetDeleted(db: Db, firstId: string): Promise<void> {
  for (const [column, table, prefix, word] of [
    ["actor", "accounts", "acc_", deletedAccount],
    ["target", "accounts", "acc_", deletedAccount],
    ["target", "accounts", "team_", deletedAccount],
    ["target", "keys", "key_", deletedKey],
  ] as const) {
    const [name, known] = [sql.ref(column), sql.table(table)];
    const forgotten = sql`update audit set ${name} = ${word}
      where id >= ${firstId} and substr(${name}, 1, ${sql.lit(prefix.length)}) = ${prefix}
        and not exists (select 1 from ${known} where ${known}.id = audit.${name})`;
    await forgotten.execute(db);
  }
  const ofDeleted = db.updateTable("audit").where("id", ">=", firstId).where("actor", "=", deletedAccount);
  await ofDeleted.set({ actor_key: null }).execute();
}
