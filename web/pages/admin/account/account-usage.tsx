import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Card } from "../../../components/frame/card.tsx";
import { Segmented } from "../../../components/controls/segmented.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { ErrorState } from "../../../components/states/error-state.tsx";
import { useUrlFilters } from "../../../hooks/use-url-filters.ts";
import { consoleQueries } from "../../../service/console-queries.ts";
import { UsageBreakdown } from "../../app/usage/usage-breakdown.tsx";
import { periods, usagePeriod, type PeriodId } from "../../app/usage/usage-period.ts";
import { UsagePlots } from "../../app/usage/usage-plots.tsx";
import { askedFor, UsageStats } from "../../app/usage/usage-stats.tsx";

/** Counts only, as its owner sees them. */
export function AccountUsage({ id }: { id: string }) {
  const [{ period: chosen }, setFilters] = useUrlFilters({ period: "7d" });
  const periodId: PeriodId = periods.find((one) => one.id === chosen)?.id ?? "7d";
  const period = usagePeriod(periodId, Date.now());
  const { data, error, refetch } = useQuery({
    ...consoleQueries.accountUsage(id, period),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="account-usage" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="account-usage" className="text-lg font-semibold">
          Usage
        </h2>
        <Segmented
          label="Period"
          options={periods}
          value={periodId}
          onChange={(next) => setFilters({ period: next })}
        />
      </div>
      {data === undefined && error !== null ? (
        <Card>
          <ErrorState error={error} onRetry={refetch} what="the usage" />
        </Card>
      ) : (
        <>
          <UsageStats totals={data?.totals} />
          {data !== undefined && askedFor(data.totals) === 0 ? (
            <Card>
              <EmptyState title="No requests in this period" />
            </Card>
          ) : (
            <>
              <UsagePlots buckets={data?.buckets} period={period} />
              <UsageBreakdown report={data} />
            </>
          )}
        </>
      )}
    </section>
  );
}
