/** A moment to the minute, with its zone: pages are read, copied and compared across zones. */
export const momentFormat = new Intl.DateTimeFormat(undefined, {
  ...{ year: "numeric", month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit", timeZoneName: "short" },
});

/** What the reader's zone is called now: "CET", "GMT+2". */
export function zoneName(): string {
  return (
    momentFormat.formatToParts(new Date()).find(({ type }) => type === "timeZoneName")?.value ?? "local time"
  );
}
