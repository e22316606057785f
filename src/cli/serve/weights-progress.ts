import { SingleBar } from "cli-progress";

/**
 * Shows how far the starter weights have come: a bar on a terminal, one plain line in a log. Nothing
 * appears when there is nothing to wait for. Everything goes to stderr, since stdout is for results.
 */
export function weightsProgress(stream: NodeJS.WriteStream = process.stderr) {
  const bar = new SingleBar({
    stream,
    format: "Preparing the starter weights  {bar}  {percentage}%  {value}/{total} MB",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    // Its handlers for signals would stand in the way of the server's own.
    gracefulExit: false,
  });
  let started = false;

  const start = (totalBytes: number): void => {
    started = true;
    if (stream.isTTY) bar.start(megabytes(totalBytes), 0);
    else stream.write(`Preparing the starter weights (${megabytes(totalBytes)} MB, once) ...\n`);
  };

  return {
    update: (doneBytes: number, totalBytes: number): void => {
      if (!started) start(totalBytes);
      if (stream.isTTY) bar.update(megabytes(doneBytes));
    },
    notice: (sentence: string): void => {
      stream.write(`${sentence}\n`);
    },
    stop: (): void => {
      if (started && stream.isTTY) bar.stop();
    },
  };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
