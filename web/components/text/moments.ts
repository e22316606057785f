/** A moment to the minute, with its zone: pages are read, copied and compared across zones. */
export const momentFormat = new Intl.DateTimeFormat(undefined, {
  ...{ year: "numeric", month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit", timeZoneName: "short" },
});

const breakingSpace = /[^\S\u00a0\u202f]/g;
const timeParts = new Set<string>(["hour", "minute", "second", "dayPeriod", "timeZoneName"]);

/** Its text, which breaks between the day and the time and nowhere else: "12:00" and "AM" stay together. */
export const momentText = (format: Intl.DateTimeFormat, moment: Date): string =>
  together(format.formatToParts(moment));

/** The same for two moments. */
export const rangeText = (format: Intl.DateTimeFormat, from: Date, to: Date): string =>
  together(format.formatRangeToParts(from, to));

function together(parts: readonly { type: string; value: string }[]): string {
  const isTime = (place: number) => timeParts.has(parts[place]?.type ?? "");
  return parts
    .map(({ type, value }, place) =>
      type === "literal" && isTime(place - 1) !== isTime(place + 1)
        ? value
        : value.replaceAll(breakingSpace, "\u00a0"),
    )
    .join("");
}

/** What the reader's zone is called now: "CET", "GMT+2". */
export function zoneName(): string {
  return (
    momentFormat.formatToParts(new Date()).find(({ type }) => type === "timeZoneName")?.value ?? "local time"
  );
}
