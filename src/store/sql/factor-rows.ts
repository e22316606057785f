/** Second factors, in SQL. What may be used once is used by one statement, which only one caller can succeed with. */
import type {
  FactorStore,
  FactorSummary,
  Passkey,
  SignInStep,
  StepKind,
  StepStore,
  Totp,
} from "../../core/factors/ports.js";
import type { SqlChanges } from "./change-rows.js";
import { fromRow, toRow, toTime } from "./rows.js";
import type { Db, PasskeyRow, Row } from "./schema.js";
import { endSessions } from "./session-rows.js";
import {
  countRows,
  deleteInBatches,
  deleteRow,
  findRow,
  findRows,
  ifFound,
  inTransaction,
  updateRow,
} from "./statements.js";

export class SqlFactors implements FactorStore {
  constructor(
    private readonly db: Db,
    private readonly changes: SqlChanges,
  ) {}

  async summary(accountId: string): Promise<FactorSummary> {
    const totp = await this.findTotp(accountId);
    const passkeys = await findRows(this.db, "passkeys", { account_id: accountId }, ["created_at", "id"]);
    return {
      totpSince: totp?.confirmedAt ?? null,
      passkeys: passkeys.map(toPasskey),
      recoveryCodes: await countRows(this.db, "recovery_codes", { account_id: accountId }),
    };
  }

  async findTotp(accountId: string): Promise<Totp | null> {
    return ifFound(await findRow(this.db, "totp", { account_id: accountId }), (row) => ({
      sealedSecret: row.sealed_secret,
      confirmedAt: toTime(row.confirmed_at),
    }));
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
    const unused = { account_id: accountId, last_step: ["<", step] } as const;
    return (await updateRow(this.db, "totp", unused, { last_step: step })) !== undefined;
  }

  async removeTotp(accountId: string): Promise<boolean> {
    return (await deleteRow(this.db, "totp", { account_id: accountId })) !== undefined;
  }

  async addPasskey(passkey: Passkey): Promise<void> {
    await this.db.insertInto("passkeys").values(fromPasskey(passkey)).execute();
  }

  async findPasskey(id: string): Promise<Passkey | null> {
    return ifFound(await findRow(this.db, "passkeys", { id }), toPasskey);
  }

  async notePasskeyUse(
    id: string,
    { counter, isSynced, at }: { counter: number; isSynced: boolean; at: Date },
  ): Promise<void> {
    await updateRow(this.db, "passkeys", { id }, toRow({ counter, isSynced, lastUsedAt: at }));
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

/** Sign-ins in progress. */
export class SqlSignInSteps implements StepStore {
  constructor(private readonly db: Db) {}

  async create(step: SignInStep): Promise<void> {
    await this.db.insertInto("sign_in_steps").values(toRow(step)).execute();
  }

  async find(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    return ifFound(await findRow(this.db, "sign_in_steps", { hash, kind, expires_at: [">", now] }), toStep);
  }

  async take(kind: StepKind, hash: Uint8Array, now: Date): Promise<SignInStep | null> {
    return ifFound(await deleteRow(this.db, "sign_in_steps", { hash, kind, expires_at: [">", now] }), toStep);
  }

  async prune(now: Date): Promise<void> {
    await deleteInBatches(this.db, "sign_in_steps", { expires_at: ["<=", now] });
  }
}

const toStep = (row: Row<SignInStep>) => fromRow<SignInStep>(row);

const toPasskey = ({ transports, ...row }: PasskeyRow): Passkey => ({
  ...fromRow<Omit<Passkey, "transports">>(row),
  transports: transports === "" ? [] : transports.split(","),
});

const fromPasskey = ({ transports, ...passkey }: Passkey): PasskeyRow => ({
  ...toRow(passkey),
  transports: transports.join(","),
});
