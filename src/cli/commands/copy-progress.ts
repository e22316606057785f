/** Shows which table is being copied: a bar on a terminal, nothing in a log. On stderr: stdout is for results. */
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
