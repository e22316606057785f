/**
 * Where a new account starts and others check in: a first request, the last day, what is left of the limits, the
 * keys.
 */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { lazy, useState } from "react";
import { useSearchParams, Link } from "wouter";
import type { PlanView, KeyView } from "../../../src/protocol/dashboard/api.js";
import { ButtonLink } from "../../components/controls/button.tsx";
import { LimitMeters } from "../../components/figures/limit-meters.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PlannedMaintenance } from "../../components/frame/maintenance-banner.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { Loaded, UnlessFailed } from "../../components/states/loaded.tsx";
import { ArrowLink } from "../../components/text/arrow-link.tsx";
import { LastUsed } from "../../components/text/last-used.tsx";
import { Table, type Column } from "../../components/text/table.tsx";
import { useMe } from "../../hooks/use-me.ts";
import { useSite, queries } from "../../service/queries.ts";
import { plural } from "../../units.ts";
import { VerifyAddress } from "./account/verify-address.tsx";
import { hasEnded, KeyStatus } from "./keys/key-status.tsx";
import { Quickstart } from "./quickstart.tsx";
import { usagePeriod } from "./usage/usage-period.ts";
import { UsageStats } from "./usage/usage-stats.tsx";

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

/**
 * The body of the overview. Someone who has not sent a request yet gets the quickstart; after the first one it is
 * replaced by recent usage, remaining limits and keys. `?quickstart` shows it again.
 */
function OwnStart({ plan }: { plan: PlanView }) {
  const read = useQuery(queries.keys);
  const { data, error } = read;
  const [search] = useSearchParams();
  // Decided once per visit: the quickstart may be showing a new key's secret when the first request arrives.
  const [isNew, setIsNew] = useState<boolean | null>(null);
  if (isNew === null && data !== undefined) setIsNew(data.keys.every((key) => key.lastUsedDay === null));
  const isKnown = isNew !== null || error !== null;
  // Until then nothing is rendered, to avoid a layout shift.
  if (!isKnown) return null;
  if (isNew === true || search.has("quickstart")) {
    return (
      <>
        <div className={columns}>
          <Quickstart plan={plan} />
          <LiveLimits />
        </div>
        <LastDay />
      </>
    );
  }
  return (
    <>
      <LastDay />
      <div className={columns}>
        <div className="flex flex-col gap-4">
          <RecentKeys query={read} />
          <p className="text-sm">
            <ArrowLink href="/app?quickstart">Show the quickstart</ArrowLink>
          </p>
        </div>
        <LiveLimits />
      </div>
    </>
  );
}

const columns = "grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]";

/** What is used and left right now. Polled every few seconds while the page is visible. */
function LiveLimits() {
  const read = useQuery(queries.limits);
  const { data, dataUpdatedAt } = read;
  return (
    <Card title="Limits" description={data === undefined ? undefined : `${data.plan.name} plan`}>
      <Loaded query={read} what="the limits" lines={6}>
        {(limits) => (
          <div className="flex flex-col gap-6">
            <LimitMeters limits={limits} readAt={dataUpdatedAt} />
            <div className="text-sm">
              <ArrowLink href="/app/limits">What the limits mean</ArrowLink>
            </div>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** The last 24 hours in four numbers. */
function LastDay() {
  const usage = useQuery(queries.usage(usagePeriod("24h", Date.now())));
  return (
    <section aria-labelledby="last-day">
      <div className="mb-3 flex items-baseline justify-between gap-4">
        <h2 id="last-day" className="text-base font-semibold">
          Last 24 hours
        </h2>
        <span className="text-sm">
          <ArrowLink href="/app/usage">All usage</ArrowLink>
        </span>
      </div>
      <UnlessFailed query={usage} what="the usage">
        <UsageStats totals={usage.data?.totals} />
      </UnlessFailed>
    </section>
  );
}

const most = 5;

/** The keys that still work, those used last first. */
function RecentKeys({ query }: { query: UseQueryResult<{ keys: KeyView[] }> }) {
  const live = query.data?.keys.filter((key) => !hasEnded(key));
  const count = live?.length ?? 0;
  return (
    <Card
      flush
      title="Recent keys"
      actions={
        <ButtonLink href="/app/keys" size="sm">
          {count > most ? `All ${plural(count, "key")}` : "All keys"}
        </ButtonLink>
      }
    >
      <Table
        label="Recent keys"
        columns={keyColumns}
        rows={live?.toSorted((one, other) => recency(other) - recency(one)).slice(0, most)}
        rowId={(key) => key.id}
        query={query}
        empty={
          <EmptyState
            icon={<KeyRound />}
            title="No working keys"
            action={<ButtonLink href="/app/keys">Create key</ButtonLink>}
          />
        }
      />
    </Card>
  );
}

/** When something last happened to it. */
const recency = ({ lastUsedDay, createdAt }: KeyView): number =>
  Math.max(Date.parse(createdAt), lastUsedDay === null ? 0 : Date.parse(lastUsedDay));

const keyColumns: readonly Column<KeyView>[] = [
  {
    header: "Name",
    className: "max-w-64",
    cell: ({ id, name, lastFour }) => (
      <span className="block min-w-0">
        <Link
          href={`/app/usage?${new URLSearchParams({ period: "7d", key: id }).toString()}`}
          title="Usage of the last 7 days"
          className="font-medium wrap-anywhere text-accent"
        >
          {name}
        </Link>
        <span className="block font-mono text-xs text-muted">…{lastFour}</span>
      </span>
    ),
  },
  {
    header: "Last used",
    cell: ({ lastUsedDay, lastUsedModel }) => <LastUsed day={lastUsedDay} model={lastUsedModel} />,
  },
  { header: "Status", cell: ({ status }) => <KeyStatus status={status} /> },
];
