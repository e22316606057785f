/** `sotto backup`: a consistent copy of the database, also while a server writes to it. */
import type { Command } from "commander";
import { StoreError } from "../../store/store-error.js";
import { report } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";

export function backupCommand(program: Command): void {
  storeCommand(program, "backup <file>", "write a copy of the database to a new file")
    .addHelpText(
      "after",
      `
The server may run meanwhile. To restore, stop the server and put the file in place of sotto.db in the data
directory, without sotto.db-wal and sotto.db-shm. Models are not part of it.

Example:
  sotto backup /var/backups/sotto-$(date +%F).db`,
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const { service, storage } = readSettings(command);
      if (storage.databaseUrl !== undefined) {
        throw new StoreError(
          `The database is in Postgres. Back it up with its own tool: pg_dump --format=custom --file=${file} "$SOTTO_DATABASE_URL"`,
        );
      }
      const { backUpSqlite } = await import("../../store/sql/backup.js");
      const { databasePath } = await import("../../store/sql/sqlite.js");
      const bytes = await backUpSqlite(databasePath(service.dataDir), file, new Date());
      report(command, { file, bytes }, `The database was written to ${file} (${bytes} bytes).`);
    });
}
