import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChartColumn, Download } from "lucide-react";
import { api } from "../../service/api.ts";
import { ButtonAnchor, ButtonLink } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { MonthCard } from "../../components/figures/month-use.tsx";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { useSpace } from "../../hooks/use-space.ts";
import { queries } from "../../service/queries.ts";
import { seesUsageParts, useTeam } from "../../service/teams.ts";
import { MemberUsageCard } from "./team/member-usage.tsx";
import { UsageBreakdown } from "./usage/usage-breakdown.tsx";
import { choiceOf, filtersOf, periodOf, usualFilters } from "./usage/usage-choice.ts";
import { UsageFilters } from "./usage/usage-filters.tsx";
import { UsagePlots } from "./usage/usage-plots.tsx";
import { askedFor, UsageStats } from "./usage/usage-stats.tsx";

export default function Usage() {
  const [filters, setFilters] = useUrlFilters(usualFilters);
  const space = useSpace();
  const { data: team } = useTeam(space.id);
  const seesParts = space.id === null || seesUsageParts(team?.role);
  const now = Date.now();
  const choice = choiceOf(filters, now);
  const period = periodOf(choice.period, now);
  const query = {
    ...period,
    ...(choice.key === "" ? {} : { key: choice.key }),
    ...(choice.model === "" ? {} : { model: choice.model }),
  };
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...queries.usage(query, space.id),
    placeholderData: keepPreviousData,
  });
  const month = useQuery(queries.month(space.id));
  return (
    <>
      <PageHeader
        title="Usage"
        description={`${space.id === null ? "" : `Usage of ${team?.name ?? "the team"}. `}Counts of requests and tokens only, never their content.`}
        actions={
          seesParts && (
            <ButtonAnchor href={api.usageCsvAddress(query, space.id)} download icon={<Download />}>
              Download CSV
            </ButtonAnchor>
          )
        }
      />
      <div className="flex flex-col gap-6">
        <UsageFilters choice={choice} onChange={(next) => setFilters(filtersOf(next))} />
        {data === undefined && error !== null ? (
          <Card>
            <ErrorState error={error} onRetry={refetch} what="the usage" />
          </Card>
        ) : (
          <div
            aria-busy={isPlaceholderData}
            className={isPlaceholderData ? "flex flex-col gap-6 opacity-60" : "flex flex-col gap-6"}
          >
            <UsageStats totals={data?.totals} />
            {data !== undefined && askedFor(data.totals) === 0 ? (
              <Card>
                <EmptyState
                  icon={<ChartColumn />}
                  title="No requests in this period"
                  action={
                    space.id === null && <ButtonLink href="/app/playground">Try the playground</ButtonLink>
                  }
                >
                  Requests appear here within seconds, by hour, key and model.
                </EmptyState>
              </Card>
            ) : (
              <>
                <UsagePlots buckets={data?.buckets} period={period} />
                {space.id !== null && seesParts && <MemberUsageCard team={space.id} period={period} />}
                <UsageBreakdown report={data} linksToKeys={seesParts} />
              </>
            )}
          </div>
        )}
        {/* Below what may become shorter once it has loaded: it would move. */}
        {data !== undefined && <MonthCard month={month} />}
      </div>
    </>
  );
}
