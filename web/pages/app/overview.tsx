/**
 * Where a new account starts and others check in: a first request, the last day, what is left of the limits, the
 * keys.
 */
import { lazy } from "react";
import { useSearchParams } from "wouter";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { useSite } from "../../service/queries.ts";
import { VerifyAddress } from "./account/verify-address.tsx";
import { OwnStart } from "./overview/own-start.tsx";
import { PlannedMaintenance } from "./overview/planned-maintenance.tsx";

const AdminHome = lazy(() => import("../admin/home.tsx"));

/** Admins see the service's overview; their own keys and limits have separate pages. */
export default function Overview() {
  const me = useMe();
  const [search] = useSearchParams();
  const isAdmin = me.account.role === "admin" && !search.has("quickstart");
  return isAdmin ? <AdminHome /> : <OwnOverview />;
}

function OwnOverview() {
  const { data: site } = useSite();
  const me = useMe();
  return (
    <>
      <PageHeader title="Overview" description="The last 24 hours, your limits and your keys." />
      <div className="flex flex-col gap-6">
        <PlannedMaintenance maintenance={site?.maintenance ?? null} />
        <VerifyAddress />
        <OwnStart plan={me.plan} />
      </div>
    </>
  );
}
