import { SingleBar } from "cli-progress";
import { gigabytes } from "../models/sizes.js";

/** How far back the speed looks. */
const memoryMs = 5_000;
const lineEveryMs = 10_000;

/**
 * Shows a download on stderr: a bar with speed and remaining time on a terminal, a line now and then in a log.
 */
export function pullProgress(stream: NodeJS.WriteStream = process.stderr) {
  let bar: SingleBar | undefined;
  let name = "";
  let samples: { atMs: number; doneBytes: number }[] = [];
  let saidAtMs = -Infinity;

  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    file: (fileName: string, number: number, count: number): void => {
      stop();
      name = count > 1 ? `${fileName} (${number} of ${count})` : fileName;
      samples = [];
      saidAtMs = -Infinity;
    },
    update: (doneBytes: number, totalBytes: number | null): void => {
      const atMs = performance.now();
      samples = [...samples.filter((sample) => atMs - sample.atMs < memoryMs), { atMs, doneBytes }].slice(
        -500,
      );
      const text = describeProgress(doneBytes, totalBytes, rateOf(samples));
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

/** Bytes a second over the last seconds; null while there is nothing to go by. */
function rateOf(samples: readonly { atMs: number; doneBytes: number }[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < 200) return null;
  return ((last.doneBytes - first.doneBytes) / (last.atMs - first.atMs)) * 1000;
}

export function describeProgress(
  doneBytes: number,
  totalBytes: number | null,
  bytesPerSecond: number | null,
): string {
  const parts = [
    totalBytes === null ? gigabytes(doneBytes) : `${gigabytes(doneBytes)} of ${gigabytes(totalBytes)}`,
  ];
  if (bytesPerSecond !== null) parts.push(`${gigabytes(bytesPerSecond)}/s`);
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
