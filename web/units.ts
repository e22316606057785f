/** Amounts with their units, in the reader's way of writing numbers. */

export function formatCount(value: number): string {
  return count.format(value);
}

/** With one decimal below ten, where it is significant. */
export function formatRate(value: number): string {
  return value < 10 ? oneDecimal.format(value) : count.format(value);
}

/** "41.5": with as many decimals as matter. */
export function formatDecimal(value: number): string {
  return decimal.format(value);
}

/** For the axis of a plot: "1.2K". */
export function formatShort(value: number): string {
  return short.format(value);
}

export function formatMs(ms: number): string {
  if (ms < 1_000) return `${count.format(Math.round(ms))} ms`;
  return `${decimal.format(ms / 1_000)} s`;
}

export function formatBytes(bytes: number): string {
  const gigabytes = bytes / 2 ** 30;
  return gigabytes >= 1 ? `${decimal.format(gigabytes)} GB` : `${count.format(bytes / 2 ** 20)} MB`;
}

/** For files and the memory they need: in powers of ten, as disk vendors and model hubs do. */
export function formatSize(bytes: number): string {
  if (bytes < 1e6) return `${count.format(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${count.format(bytes / 1e6)} MB` : `${oneDecimal.format(bytes / 1e9)} GB`;
}

/** "1 key", "2 keys". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count.format(value)} ${value === 1 ? one : many}`;
}

const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** Keeps a number and its unit on one line. */
export const unbroken = (amount: string): string => amount.replaceAll(" ", "\u00a0");

/** "60 requests and 40,000 tokens per minute" */
export function formatPerMinute(plan: { requestsPerMinute: number; tokensPerMinute: number }): string {
  const [requests, tokens] = [
    plural(plan.requestsPerMinute, "request"),
    plural(plan.tokensPerMinute, "token"),
  ];
  return `${unbroken(requests)} and ${unbroken(tokens)} per minute`;
}

/** "7:42" */
export function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** "45 s", "12 min", "5 h": a quota may be hours from its reset. Rounded up, so that retries are not too early. */
export function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
