/** Above every page while maintenance is open, and on the day before it begins. */
import { Construction } from "lucide-react";
import { Link } from "wouter";
import type { Maintenance } from "../../../src/protocol/dashboard/api.js";
import { cx } from "../../cx.ts";
import { useSite } from "../../service/queries.ts";
import { Callout } from "../states/callout.tsx";
import { Time, TimeRange } from "../text/time.tsx";

/** How long before its start a window is announced on every page. */
const noticeMs = 24 * 3_600_000;

/** The width and padding of the content below, so that both align. */
const publicWidth = "mx-auto max-w-7xl px-5 sm:px-8";

export function MaintenanceBanner({ className }: { className?: string }) {
  const { data: site } = useSite();
  const maintenance = site?.maintenance ?? null;
  if (maintenance === null || maintenance.state === "over") return null;
  const open = maintenance.state === "open";
  if (!open && Date.parse(maintenance.startsAt) - Date.now() > noticeMs) return null;
  return <MaintenanceNotice maintenance={maintenance} className={className} />;
}

interface MaintenanceNoticeProps {
  maintenance: Pick<Maintenance, "title" | "startsAt" | "endsAt" | "state">;
  className?: string | undefined;
}

/** The banner itself, for a window that is open or planned. */
export function MaintenanceNotice({ maintenance, className = publicWidth }: MaintenanceNoticeProps) {
  return (
    <aside aria-label="Maintenance" className="border-b border-line bg-warn-soft text-sm">
      <p className={cx("flex items-start gap-2.5 py-2.5 sm:items-center", className)}>
        <Construction className="mt-0.5 size-4 shrink-0 text-warn sm:mt-0" aria-hidden />
        <span>
          {maintenance.state === "open" ? (
            <>
              <strong className="font-semibold">Maintenance until </strong>
              <Time at={maintenance.endsAt} style="moment" />: {maintenance.title}.
            </>
          ) : (
            <>
              <strong className="font-semibold">Maintenance from </strong>
              <Time at={maintenance.startsAt} style="moment" />: {maintenance.title}.
            </>
          )}{" "}
          <Link href="/status" className="whitespace-nowrap underline underline-offset-2">
            See status
          </Link>
        </span>
      </p>
    </aside>
  );
}

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
