/** Which table is being copied: a progress bar on stderr if that is a terminal. */
import { SingleBar } from "cli-progress";

export function copyProgress(stream: NodeJS.WriteStream = process.stderr) {
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
