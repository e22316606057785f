/** Above every page while maintenance is open, and on the day before it begins. */
import { Construction } from "lucide-react";
import { Link } from "wouter";
import type { Maintenance } from "../../src/protocol/dashboard.js";
import { useSite } from "../queries.ts";
import { Time } from "./time.tsx";

/** How long before its start a window is announced on every page. */
export const noticeMs = 24 * 3_600_000;

export function MaintenanceBanner() {
  const { data: site } = useSite();
  const maintenance = site?.maintenance ?? null;
  if (maintenance === null || maintenance.state === "over") return null;
  const open = maintenance.state === "open";
  if (!open && Date.parse(maintenance.startsAt) - Date.now() > noticeMs) return null;
  return <MaintenanceNotice maintenance={maintenance} />;
}

/** The banner itself, for a window that is open or planned. */
export function MaintenanceNotice({
  maintenance,
}: {
  maintenance: Pick<Maintenance, "title" | "startsAt" | "endsAt" | "state">;
}) {
  return (
    <aside aria-label="Maintenance" className="border-b border-line bg-warn-soft text-sm">
      <p className="mx-auto flex max-w-7xl items-start gap-2.5 px-5 py-2.5 sm:items-center sm:px-8">
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
            See the status
          </Link>
        </span>
      </p>
    </aside>
  );
}
