/** One connection to the SQLite file, configured the same wherever it is opened. */
import Database from "libsql";

/** How long to wait for another process that is writing. */
export const busyTimeoutMs = 5_000;

export const connect = (path: string): Database.Database => new Database(path, { timeout: busyTimeoutMs });

/** `readOnly`: it refuses to write. */
export function setUp(database: Database.Database, { readOnly = false } = {}): void {
  // Every commit is on disk before it is reported.
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  // What is deleted is overwritten with zeros.
  database.pragma("secure_delete = ON");
  if (readOnly) database.pragma("query_only = ON");
}
