/** When maintenance takes or took place, in the reader's time zone, and how it ended. */
import { CalendarClock } from "lucide-react";
import type { Maintenance } from "../../../src/protocol/dashboard/api.js";
import { TimeRange } from "../text/time.tsx";

export function MaintenanceWindow({ maintenance }: { maintenance: Maintenance }) {
  const { startsAt, endsAt, endedAt } = maintenance;
  const outcome = outcomeOf(maintenance);
  return (
    <p className="mb-4 flex items-start gap-2.5 text-sm">
      <CalendarClock className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
      <span>
        {words[outcome]}{" "}
        <TimeRange from={startsAt} to={outcome === "ended early" ? (endedAt ?? endsAt) : endsAt} />
      </span>
    </p>
  );
}

export type Outcome = "planned" | "open" | "over" | "ended early" | "called off";

/** A window that ended before it began was called off. */
export function outcomeOf({ state, startsAt, endedAt }: Maintenance): Outcome {
  if (state !== "over" || endedAt === null) return state;
  return Date.parse(endedAt) <= Date.parse(startsAt) ? "called off" : "ended early";
}

const words: Record<Outcome, string> = {
  planned: "Scheduled:",
  open: "In progress:",
  over: "Completed:",
  "ended early": "Ended early:",
  "called off": "Called off, was scheduled:",
};
