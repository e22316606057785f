import { useQuery } from "@tanstack/react-query";
import { ArrowLink } from "../../../components/text/arrow-link.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { Card } from "../../../components/frame/card.tsx";
import { queries } from "../../../service/queries.ts";
import { UsageStats } from "../usage/usage-stats.tsx";
import { usagePeriod } from "../usage/usage-period.ts";

/** The last 24 hours in four numbers. */
export function LastDay() {
  const { data, error, refetch } = useQuery(queries.usage(usagePeriod("24h", Date.now())));
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
      {data === undefined && error !== null ? (
        <Card>
          <ErrorState error={error} onRetry={refetch} what="the usage" />
        </Card>
      ) : (
        <UsageStats totals={data?.totals} />
      )}
    </section>
  );
}
