/**
 * The body of the overview. Someone who has not sent a request yet gets the quickstart; after the first one it is
 * replaced by recent usage, remaining limits and keys. `?quickstart` shows it again.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { PlanView } from "../../../../src/protocol/dashboard/api.js";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { queries } from "../../../service/queries.ts";
import { LastDay } from "./last-day.tsx";
import { LiveLimits } from "./live-limits.tsx";
import { Quickstart } from "./quickstart.tsx";
import { RecentKeys } from "./recent-keys.tsx";

export function OwnStart({ plan }: { plan: PlanView }) {
  const { data, error, refetch } = useQuery(queries.keys);
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
          <RecentKeys keys={data?.keys} error={error} onRetry={refetch} />
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
