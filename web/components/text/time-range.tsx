/** From one moment to another in the reader's zone and language, saying the day once when it is the same. */
export function TimeRange({ from, to }: { from: string; to: string }) {
  return <span>{format.formatRange(new Date(from), new Date(to))}</span>;
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
