/** Where a new account starts and others check in: a key, what is left of the limits, the last day. */
import { lazy } from "react";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { useSite } from "../../service/queries.ts";
import { LastDay } from "./overview/last-day.tsx";
import { LiveLimits } from "./overview/live-limits.tsx";
import { PlannedMaintenance } from "./overview/planned-maintenance.tsx";
import { Quickstart } from "./overview/quickstart.tsx";

const OperatorHome = lazy(() => import("../admin/home.tsx"));

/** An operator's first concern is the service; their own keys and limits have pages of their own. */
export default function Overview() {
  const me = useMe();
  return me.account.role === "admin" ? <OperatorHome /> : <OwnOverview />;
}

function OwnOverview() {
  const { data: site } = useSite();
  const me = useMe();
  return (
    <>
      <PageHeader title="Overview" description="Your key, your limits and the last 24 hours." />
      <div className="flex flex-col gap-6">
        <PlannedMaintenance maintenance={site?.maintenance ?? null} />
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <Quickstart plan={me.plan} />
          <LiveLimits />
        </div>
        <LastDay />
      </div>
    </>
  );
}
