/** Second factors, in SQL. What may be used once is used by one statement, which only one caller can succeed with. */
import type { Kysely } from "kysely";
import type { FactorStore, FactorSummary, Passkey, Totp } from "../../core/factors/ports.js";
import { deleteRow, findRow, updateRow } from "./by-columns.js";
import type { SqlChanges } from "./change-rows.js";
import { fromRow, toRow } from "./entity-rows.js";
import { inTransaction } from "./in-transaction.js";
import { toTime } from "./rows.js";
import type { PasskeyRow, Schema } from "./schema.js";
import { endSessions } from "./session-rows.js";

export class SqlFactors implements FactorStore {
  constructor(
    private readonly db: Kysely<Schema>,
    private readonly changes: SqlChanges,
  ) {}

  async summary(accountId: string): Promise<FactorSummary> {
    const totp = await this.findTotp(accountId);
    const passkeys = await this.db
      .selectFrom("passkeys")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    const { codes } = await this.db
      .selectFrom("recovery_codes")
      .select((select) => select.fn.countAll<number>().as("codes"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    return {
      totpSince: totp?.confirmedAt ?? null,
      passkeys: passkeys.map(toPasskey),
      recoveryCodes: codes,
    };
  }

  async findTotp(accountId: string): Promise<Totp | null> {
    const row = await findRow(this.db, "totp", { account_id: accountId });
    if (row === undefined) return null;
    return { sealedSecret: row.sealed_secret, confirmedAt: toTime(row.confirmed_at) };
  }

  async beginTotp(accountId: string, sealedSecret: string, now: Date): Promise<boolean> {
    const fresh = { sealed_secret: sealedSecret, created_at: now.getTime(), last_step: 0 };
    const row = await this.db
      .insertInto("totp")
      .values({ account_id: accountId, confirmed_at: null, ...fresh })
      .onConflict((conflict) =>
        conflict.column("account_id").doUpdateSet(fresh).where("totp.confirmed_at", "is", null),
      )
      .returning("account_id")
      .executeTakeFirst();
    return row !== undefined;
  }

  async confirmTotp(accountId: string, step: number, now: Date): Promise<boolean> {
    const pending = { account_id: accountId, confirmed_at: null };
    const row = await updateRow(this.db, "totp", pending, { confirmed_at: now.getTime(), last_step: step });
    return row !== undefined;
  }

  async useTotpStep(accountId: string, step: number): Promise<boolean> {
    const row = await this.db
      .updateTable("totp")
      .set({ last_step: step })
      .where("account_id", "=", accountId)
      .where("last_step", "<", step)
      .returning("account_id")
      .executeTakeFirst();
    return row !== undefined;
  }

  async removeTotp(accountId: string): Promise<boolean> {
    return (await deleteRow(this.db, "totp", { account_id: accountId })) !== undefined;
  }

  async addPasskey(passkey: Passkey): Promise<void> {
    await this.db.insertInto("passkeys").values(fromPasskey(passkey)).execute();
  }

  async findPasskey(id: string): Promise<Passkey | null> {
    const row = await findRow(this.db, "passkeys", { id });
    return row === undefined ? null : toPasskey(row);
  }

  async notePasskeyUse(
    id: string,
    { counter, isSynced, at }: { counter: number; isSynced: boolean; at: Date },
  ): Promise<void> {
    const use = { counter, is_synced: isSynced ? 1 : 0, last_used_at: at.getTime() };
    await updateRow(this.db, "passkeys", { id }, use);
  }

  async renamePasskey(accountId: string, id: string, name: string): Promise<boolean> {
    return (await updateRow(this.db, "passkeys", { id, account_id: accountId }, { name })) !== undefined;
  }

  async removePasskey(accountId: string, id: string): Promise<boolean> {
    return (await deleteRow(this.db, "passkeys", { id, account_id: accountId })) !== undefined;
  }

  async replaceRecoveryCodes(accountId: string, hashes: readonly Uint8Array[]): Promise<void> {
    await inTransaction(this.db, async (transaction) => {
      await transaction.deleteFrom("recovery_codes").where("account_id", "=", accountId).execute();
      if (hashes.length === 0) return;
      const rows = hashes.map((hash) => ({ hash, account_id: accountId }));
      await transaction.insertInto("recovery_codes").values(rows).execute();
    });
  }

  async useRecoveryCode(accountId: string, hash: Uint8Array): Promise<boolean> {
    return (await deleteRow(this.db, "recovery_codes", { hash, account_id: accountId })) !== undefined;
  }

  async reset(accountId: string): Promise<void> {
    await this.changes.with("sessions_ended", accountId, async (transaction) => {
      for (const table of ["totp", "passkeys", "recovery_codes", "sign_in_steps"] as const)
        await transaction.deleteFrom(table).where("account_id", "=", accountId).execute();
      await endSessions(transaction, accountId, null);
    });
  }
}

const toPasskey = ({ transports, ...row }: PasskeyRow): Passkey => ({
  ...fromRow<Omit<Passkey, "transports">>(row),
  transports: transports === "" ? [] : transports.split(","),
});

const fromPasskey = ({ transports, ...passkey }: Passkey): PasskeyRow => ({
  ...toRow(passkey),
  transports: transports.join(","),
});
