/**
 * A moment in the reader's own zone and language. `relative` ("3 minutes ago", kept current) shows the exact
 * time on hover; the other styles are exact already. `second` is for moments that are compared with other records.
 */
import { useEffect, useState } from "react";
import { MomentText } from "./moment-text.tsx";
import { momentFormat, momentPieces, rangePieces } from "./moments.ts";

type TimeStyle = "relative" | "date" | "moment" | "second";

interface TimeProps {
  at: string;
  style?: TimeStyle;
  /** For a moment that is known to come, whatever the clocks of the two machines say. */
  isAhead?: boolean;
}

export function Time({ at, style = "relative", isAhead = false }: TimeProps) {
  const now = useNow(style === "relative");
  const moment = new Date(at);
  return (
    // With a time and a zone it is too long for one line of a narrow card.
    <time
      dateTime={at}
      title={exact.format(moment)}
      className={style === "second" || style === "moment" ? "tabular-nums" : "whitespace-nowrap"}
    >
      {style === "relative" ? (
        relativeTime(moment.getTime(), now, isAhead ? "in a moment" : "just now")
      ) : (
        <MomentText pieces={momentPieces(formats[style], moment)} />
      )}
    </time>
  );
}

/** "3 minutes ago", "in 2 hours", "just now"; a date when it is more than a month away. */
export function relativeTime(at: number, now: number, near = "just now"): string {
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 10) return near;
  const unit = units.find((candidate) => size < candidate.below);
  if (unit === undefined) return date.format(at);
  return relative.format(Math.trunc(seconds / unit.seconds), unit.name);
}

const units = [
  { name: "second", seconds: 1, below: 60 },
  { name: "minute", seconds: 60, below: 3_600 },
  { name: "hour", seconds: 3_600, below: 86_400 },
  { name: "day", seconds: 86_400, below: 30 * 86_400 },
] as const;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const second = new Intl.DateTimeFormat(undefined, {
  ...{ year: "numeric", month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
});
const formats = { date, moment: momentFormat, second };
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}

/** From one moment to another in the reader's zone and language, saying the day once when it is the same. */
export function TimeRange({ from, to }: { from: string; to: string }) {
  return (
    <span>
      <MomentText pieces={rangePieces(momentFormat, new Date(from), new Date(to))} />
    </span>
  );
}
