/** A moment to the minute, with its zone: pages are read, copied and compared across zones. */
export const momentFormat = new Intl.DateTimeFormat(undefined, {
  ...{ year: "numeric", month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit", timeZoneName: "short" },
});

const timeParts = new Set<string>(["hour", "minute", "second", "dayPeriod", "timeZoneName"]);

/** Its day and its time, each kept on one line: "12:00" and "AM" must not be separated. */
export const momentPieces = (format: Intl.DateTimeFormat, moment: Date): string[] =>
  piecesOf(format.formatToParts(moment));

/** The same for two moments. */
export const rangePieces = (format: Intl.DateTimeFormat, from: Date, to: Date): string[] =>
  piecesOf(format.formatRangeToParts(from, to));

function piecesOf(parts: readonly { type: string; value: string }[]): string[] {
  const isTime = (place: number) => timeParts.has(parts[place]?.type ?? "");
  const pieces = [""];
  for (const [place, { type, value }] of parts.entries()) {
    const isBorder = type === "literal" && isTime(place - 1) !== isTime(place + 1);
    const [first = "", ...others] = isBorder ? value.split(/\s/) : [value.replaceAll(/\s/g, " ")];
    pieces.push(`${pieces.pop() ?? ""}${first}`, ...others);
  }
  return pieces;
}

/** The current name of the reader's time zone: "CET", "GMT+2". */
export function zoneName(): string {
  return (
    momentFormat.formatToParts(new Date()).find(({ type }) => type === "timeZoneName")?.value ?? "local time"
  );
}
