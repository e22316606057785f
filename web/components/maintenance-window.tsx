/** When a maintenance begins and ends, in the reader's zone, and where it stands. */
import { CalendarClock } from "lucide-react";
import type { Maintenance } from "../../src/protocol/dashboard.js";
import { Time } from "./time.tsx";

export function MaintenanceWindow({ maintenance }: { maintenance: Maintenance }) {
  return (
    <p className="mb-4 flex items-start gap-2.5 text-sm">
      <CalendarClock className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
      <span>
        {words[maintenance.state]} from <Time at={maintenance.startsAt} style="moment" /> to{" "}
        <Time at={maintenance.endedAt ?? maintenance.endsAt} style="moment" />
        {maintenance.endedAt !== null && ", ended early"}
      </span>
    </p>
  );
}

const words: Record<Maintenance["state"], string> = {
  planned: "Planned",
  open: "Under way",
  over: "Was",
};
