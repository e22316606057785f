/** Usage of the whole service. All filters are in the address, so that it can be shared. */
import { useQuery } from "@tanstack/react-query";
import { ChartColumn, Download } from "lucide-react";
import { isModelId, modelIds } from "../../../src/core/models.js";
import { ButtonAnchor } from "../../components/controls/button.tsx";
import { Select } from "../../components/controls/field.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { UnlessFailed } from "../../components/states/loaded.tsx";
import { fieldError } from "../../form-errors.ts";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { PeriodButtons, DayRangeFields } from "../app/usage/period-fields.tsx";
import { periodOf } from "../app/usage/usage-choice.ts";
import { UsagePlots } from "../app/usage/usage-plots.tsx";
import { askedFor, UsageStats } from "../app/usage/usage-stats.tsx";
import { AccountFilter } from "./usage/account-filter.tsx";
import { ByModel } from "../app/usage/usage-breakdown.tsx";
import { Causes } from "./usage/breakdown.tsx";
import { TopLists } from "./usage/top-lists.tsx";
import { useUsageChoice, type Choose, type ServiceChoice } from "./usage/use-usage-choice.ts";

export default function ServiceUsage() {
  const { choice, choose } = useUsageChoice();
  const period = periodOf(choice.period, Date.now());
  const query = {
    ...period,
    ...(choice.model === "" ? {} : { model: choice.model }),
    ...(choice.account === "" ? {} : { account: choice.account }),
    ...(choice.key === "" ? {} : { key: choice.key }),
  };
  const read = useQuery(adminQueries.usage(query));
  const { data, error, isPlaceholderData } = read;
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
        {fieldError(error, "account") === undefined && (
          <UnlessFailed query={read} what="the usage">
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
                  <ByModel rows={data?.byModel} />
                </>
              )}
            </div>
          </UnlessFailed>
        )}
      </div>
    </>
  );
}

function ServiceFilters({ choice, choose }: { choice: ServiceChoice; choose: Choose }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <PeriodButtons period={choice.period} onChange={(period) => choose({ period })} />
      <Select
        size="sm"
        aria-label="Model"
        className="w-full sm:ml-auto sm:w-36"
        value={choice.model}
        onValue={(value) => choose({ model: isModelId(value) ? value : "" })}
        options={[{ value: "", label: "All models" }, ...modelIds.map((id) => ({ value: id, label: id }))]}
      />
      {typeof choice.period !== "string" && (
        <DayRangeFields range={choice.period} onChange={(period) => choose({ period })} />
      )}
    </div>
  );
}
