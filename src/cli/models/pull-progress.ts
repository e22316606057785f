import { SingleBar } from "cli-progress";
import { formatBytes } from "../../models/sizes.js";
import { TransferRate } from "../../models/pull/transfer-rate.js";

const lineEveryMs = 10_000;

/**
 * Shows a download on stderr: a bar with speed and remaining time on a terminal, a line now and then in a log.
 */
export function pullProgress() {
  const stream = process.stderr;
  let bar: SingleBar | undefined;
  let name = "";
  const rate = new TransferRate();
  let saidAtMs = -Infinity;

  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    file: (fileName: string, number: number, count: number): void => {
      stop();
      name = count > 1 ? `${fileName} (${number} of ${count})` : fileName;
      rate.restart();
      saidAtMs = -Infinity;
    },
    update: (doneBytes: number, totalBytes: number | null): void => {
      const atMs = performance.now();
      rate.add(atMs, doneBytes);
      const text = describeProgress(doneBytes, totalBytes, rate.bytesPerSecond);
      if (stream.isTTY) {
        bar ??= startBar(stream, name, totalBytes ?? 0);
        bar.update(doneBytes, { text });
      } else if (atMs - saidAtMs >= lineEveryMs) {
        saidAtMs = atMs;
        stream.write(`${name}  ${text}\n`);
      }
    },
    checking: (): void => {
      stop();
      stream.write(`Checking ${name} ...\n`);
    },
    stop,
  };
}

function startBar(stream: NodeJS.WriteStream, name: string, totalBytes: number): SingleBar {
  const bar = new SingleBar({
    stream,
    format: `${name}  {bar}  {text}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    gracefulExit: false,
  });
  bar.start(totalBytes, 0, { text: "" });
  return bar;
}

export function describeProgress(
  doneBytes: number,
  totalBytes: number | null,
  bytesPerSecond: number | null,
): string {
  const parts = [
    totalBytes === null ? formatBytes(doneBytes) : `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`,
  ];
  if (bytesPerSecond !== null) parts.push(`${formatBytes(bytesPerSecond)}/s`);
  if (bytesPerSecond !== null && bytesPerSecond > 0 && totalBytes !== null) {
    parts.push(`${duration((totalBytes - doneBytes) / bytesPerSecond)} left`);
  }
  return parts.join(", ");
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
