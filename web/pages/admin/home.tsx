/** The overview for admins: what is left to set up, and how the service is doing right now. */
import { useQuery } from "@tanstack/react-query";
import { Card } from "../../components/frame/card.tsx";
import { ButtonLink } from "../../components/controls/button.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { LoadState } from "../../components/states/loaded.tsx";
import { adminQueries } from "../../service/admin.ts";
import { useSite } from "../../service/queries.ts";
import { VerifyAddress } from "../app/account/verify-address.tsx";
import { PlannedMaintenance } from "../../components/frame/maintenance-banner.tsx";
import { SetupChecklist } from "./home/checklist.tsx";
import { EngineHealth } from "./home/engine-health.tsx";
import { LastHour } from "./home/last-hour.tsx";
import { OperatorCard } from "./home/operator-card.tsx";
import { UnusualAccounts } from "./home/unusual-accounts.tsx";

export default function AdminHome() {
  const { data: site } = useSite();
  const read = useQuery(adminQueries.home);
  const { data: home, error } = read;
  const alerts = useQuery(adminQueries.alerts);
  return (
    <>
      <PageHeader
        title="Overview"
        description="The whole service: what is left to set up, and how it is doing."
        actions={
          <>
            <ButtonLink href="/admin/usage">Service usage</ButtonLink>
            <ButtonLink href="/app/keys">Your keys</ButtonLink>
          </>
        }
      />
      <div className="flex flex-col gap-6">
        <VerifyAddress />
        <PlannedMaintenance maintenance={site?.maintenance ?? null} />
        {home === undefined || alerts.isPending ? (
          <Card>
            <LoadState query={read} what="the overview" lines={8} />
          </Card>
        ) : (
          <>
            <UnusualAccounts list={alerts} />
            {!home.checklist.isHidden && (
              <SetupChecklist checklist={home.checklist} suggestion={home.suggestion} />
            )}
            <LastHour home={home} stale={error !== null} />
            <EngineHealth engines={home.engines} />
            {site !== undefined && <OperatorCard operator={site.operator} />}
          </>
        )}
      </div>
    </>
  );
}
