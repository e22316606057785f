/** `sotto store`: where the data is stored; `sotto backup`: a consistent copy of it, also while a server writes to it. */
import { resolve } from "node:path";
import { SingleBar } from "cli-progress";
import type { Command } from "commander";
import { defaultPlan } from "../../core/accounts/accounts.js";
import { report, table } from "../output.js";
import { readSettings } from "../settings.js";
import { storeCommand } from "../store-command.js";
import { StoreError } from "../../store/store-error.js";

export function storeCommands(program: Command): void {
  const store = program.command("store").description("move the database");
  storeCommand(store, "copy <postgres-url>", "copy an installation on SQLite to an empty Postgres database")
    .notes(
      `
Stop the server first: the command refuses while one is running on the data directory. Either all rows are copied
and compared, or none is; the database in the data directory stays as it is. Afterwards start the server with
SOTTO_DATABASE_URL set to the same address, and delete the old database: it holds the accounts and keys, and deleting
an account in Postgres does not delete it there.

Example:
  sotto store copy "postgres://sotto:$PASSWORD@db.example.com/sotto?sslmode=verify-full"`,
    )
    .action(async (url: string, _: unknown, command: Command) => {
      // Read like the setting, so that a wrong address gets the same error.
      const { service, limits, storage } = readSettings(command, { SOTTO_DATABASE_URL: url });
      const { databasePath } = await import("../../store/sql/sqlite.js");
      const { moveToPostgres } = await import("../../store/sql/move-to-postgres.js");
      const path = resolve(databasePath(service.dataDir));
      const progress = copyProgress();
      const counts = await moveToPostgres({
        path,
        url: storage.databaseUrl ?? url,
        defaultPlan: defaultPlan(limits),
        upgradeCopyDays: storage.upgradeCopyDays,
        onProgress: progress.update,
      }).finally(progress.stop);
      const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
      const next = `Every row was copied and compared. Start the server with SOTTO_DATABASE_URL set to this address.
When it works, delete the old database, which still holds every account and key:

  rm -f ${["", "-wal", "-shm"].map((end) => shellQuoted(path + end)).join(" ")}`;
      report(command, { tables: counts }, `${table(["table", "rows"], rows)}\n\n${next}`);
    });
}

/** Which table is being copied: a progress bar on stderr if that is a terminal. */
function copyProgress() {
  const stream = process.stderr;
  const bar = new SingleBar({
    stream,
    format: "Copying {table}  {bar}  {value}/{total} rows",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    gracefulExit: false,
    clearOnComplete: true,
  });
  let current: string | null = null;
  return {
    update: (table: string, rows: number, total: number): void => {
      if (!stream.isTTY) return;
      if (current !== table) bar.start(total, rows, { table: table.padEnd(14) });
      else bar.update(rows);
      current = table;
    },
    stop: (): void => {
      if (current !== null) bar.stop();
    },
  };
}

const shellQuoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

export function backupCommand(program: Command): void {
  storeCommand(program, "backup <file>", "write a copy of the database to a new file")
    .notes(
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
