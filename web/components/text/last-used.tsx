import type { KeyView } from "../../../src/protocol/dashboard/api.js";

/** The day of a key's last use, in UTC, and the model. Nothing finer is kept. */
export function LastUsed({ day, model = null }: { day: string | null; model?: KeyView["lastUsedModel"] }) {
  if (day === null) return <span className="text-muted">Never</span>;
  return (
    <span className="flex flex-col">
      <Day on={day} />
      {model !== null && <span className="text-sm text-muted">{model}</span>}
    </span>
  );
}

/** A day as the service counts it, in UTC, whatever zone the reader is in. */
function Day({ on }: { on: string }) {
  return (
    <time dateTime={on} className="whitespace-nowrap">
      {date.format(new Date(`${on}T00:00:00Z`))}
    </time>
  );
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
