import { Link } from "wouter";
import type { Maintenance } from "../../../../src/protocol/dashboard/api.js";
import { Callout } from "../../../components/states/callout.tsx";
import { noticeMs } from "../../../components/frame/maintenance-banner.tsx";
import { TimeRange } from "../../../components/text/time.tsx";

/** The next window, until the day before it begins; from then on the banner on every page takes over. */
export function PlannedMaintenance({ maintenance }: { maintenance: Maintenance | null }) {
  if (maintenance?.state !== "planned") return null;
  if (Date.parse(maintenance.startsAt) - Date.now() <= noticeMs) return null;
  return (
    <Callout tone="warn" title={`Scheduled maintenance: ${maintenance.title}`}>
      <TimeRange from={maintenance.startsAt} to={maintenance.endsAt} />. Requests will get 503 during that
      time. <Link href="/changelog">Read the announcement</Link>
    </Callout>
  );
}
