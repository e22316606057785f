/** A day as the service counts it, in UTC, whatever zone the reader is in. */
export function Day({ on }: { on: string }) {
  return (
    <time dateTime={on} className="whitespace-nowrap">
      {date.format(new Date(`${on}T00:00:00Z`))}
    </time>
  );
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
