/** Usage of the whole service. All filters are in the address, so that it can be shared. */
import { useQuery } from "@tanstack/react-query";
import { ChartColumn, Download } from "lucide-react";
import { ButtonAnchor } from "../../components/controls/button.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { ErrorState } from "../../components/states/error-state.tsx";
import { fieldError } from "../../form-errors.ts";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { periodOf } from "../app/usage/usage-choice.ts";
import { UsagePlots } from "../app/usage/usage-plots.tsx";
import { askedFor, UsageStats } from "../app/usage/usage-stats.tsx";
import { AccountFilter } from "./usage/account-filter.tsx";
import { ByModel, Causes } from "./usage/breakdown.tsx";
import { ServiceFilters } from "./usage/service-filters.tsx";
import { TopLists } from "./usage/top-lists.tsx";
import { useUsageChoice } from "./usage/use-usage-choice.ts";

export default function ServiceUsage() {
  const { choice, choose } = useUsageChoice();
  const period = periodOf(choice.period, Date.now());
  const query = {
    ...period,
    ...(choice.model === "" ? {} : { model: choice.model }),
    ...(choice.account === "" ? {} : { account: choice.account }),
    ...(choice.key === "" ? {} : { key: choice.key }),
  };
  const { data, error, refetch, isPlaceholderData } = useQuery(adminQueries.usage(query));
  const isEmpty =
    data !== undefined && askedFor(data.totals) === 0 && (data.causes === null || data.causes.length === 0);
  return (
    <>
      <PageHeader
        title="Service usage"
        description="All accounts together. Counts of requests and tokens only, never their content."
        actions={
          <ButtonAnchor href={adminApi.usageCsvAddress(query)} download icon={<Download />}>
            Download CSV
          </ButtonAnchor>
        }
      />
      <div className="flex flex-col gap-6">
        <ServiceFilters choice={choice} choose={choose} />
        <AccountFilter choice={choice} choose={choose} report={data} error={error} />
        {fieldError(error, "account") !== undefined ? null : error !== null && data === undefined ? (
          <Card>
            <ErrorState error={error} onRetry={refetch} what="the usage" />
          </Card>
        ) : (
          <div
            aria-busy={isPlaceholderData}
            className={isPlaceholderData ? "flex flex-col gap-6 opacity-60" : "flex flex-col gap-6"}
          >
            <UsageStats totals={data?.totals} />
            {isEmpty ? (
              <Card>
                <EmptyState icon={<ChartColumn />} title="No requests in this period">
                  Requests from all accounts appear here within seconds.
                </EmptyState>
              </Card>
            ) : (
              <>
                <UsagePlots buckets={data?.buckets} period={period} />
                <TopLists query={query} choice={choice} choose={choose} />
                <Causes report={data} />
                <ByModel report={data} />
              </>
            )}
          </div>
        )}
      </div>
    </>
  );
}
