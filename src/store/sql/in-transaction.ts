/** Work in a transaction: in the one that `db` is, or in one of its own. */
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.js";

export const inTransaction = <T>(
  db: Kysely<Schema>,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> => (isTransaction(db) ? work(db) : db.transaction().execute(work));

const isTransaction = (db: Kysely<Schema>): db is Transaction<Schema> => db.isTransaction;
