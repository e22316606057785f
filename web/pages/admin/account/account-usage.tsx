import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Card } from "../../../components/frame/card.tsx";
import { EmptyState } from "../../../components/states/empty-state.tsx";
import { UnlessFailed } from "../../../components/states/loaded.tsx";
import { useUrlFilters } from "../../../hooks/use-url-filters.ts";
import { adminQueries } from "../../../service/admin.ts";
import { PeriodButtons, DayRangeFields } from "../../app/usage/period-fields.tsx";
import { UsageBreakdown } from "../../app/usage/usage-breakdown.tsx";
import {
  periodChoiceOf,
  periodFiltersOf,
  periodOf,
  usualPeriodFilters,
  type PeriodChoice,
} from "../../app/usage/usage-choice.ts";
import { UsagePlots } from "../../app/usage/usage-plots.tsx";
import { askedFor, UsageStats } from "../../app/usage/usage-stats.tsx";

const usual = "7d";

/** Counts only, as its owner sees them. */
export function AccountUsage({ id }: { id: string }) {
  const [filters, setFilters] = useUrlFilters(usualPeriodFilters(usual));
  const now = Date.now();
  const chosen = periodChoiceOf(filters, now, usual);
  const period = periodOf(chosen, now);
  const choose = (next: PeriodChoice) => setFilters(periodFiltersOf(next, usual));
  const read = useQuery({
    ...adminQueries.accountUsage(id, period),
    placeholderData: keepPreviousData,
  });
  const { data } = read;
  return (
    <section aria-labelledby="account-usage" className="flex flex-col gap-6">
      <div className="-mb-2 flex flex-wrap items-center justify-between gap-3">
        <h2 id="account-usage" className="text-lg font-semibold">
          Usage
        </h2>
        <PeriodButtons period={chosen} onChange={choose} />
        {typeof chosen !== "string" && <DayRangeFields range={chosen} onChange={choose} />}
      </div>
      <UnlessFailed query={read} what="the usage">
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
      </UnlessFailed>
    </section>
  );
}
