/**
 * The body of the overview. Someone who has not sent a request yet gets the quickstart; after the first one it is
 * replaced by recent usage, remaining limits and keys. `?quickstart` shows it again.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { PlanView } from "../../../../src/protocol/dashboard/api.js";
import { LimitMeters } from "../../../components/figures/limit-meters.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { Loaded, UnlessFailed } from "../../../components/states/loaded.tsx";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { queries } from "../../../service/queries.ts";
import { usagePeriod } from "../usage/usage-period.ts";
import { UsageStats } from "../usage/usage-stats.tsx";
import { Quickstart } from "./quickstart.tsx";
import { RecentKeys } from "./recent-keys.tsx";

export function OwnStart({ plan }: { plan: PlanView }) {
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
          <RecentKeys keys={data?.keys} query={read} />
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
