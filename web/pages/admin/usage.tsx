/** Usage of the whole service. All filters are in the address, so that it can be shared. */
import { useQuery } from "@tanstack/react-query";
import { ChartColumn, Download, X } from "lucide-react";
import { useState } from "react";
import { isModelId, modelIds } from "../../../src/core/models.js";
import type { ServiceUsageReport } from "../../../src/core/usage/usage-views.js";
import { ButtonAnchor, Button } from "../../components/controls/button.tsx";
import { Select, Field, Input } from "../../components/controls/field.tsx";
import { Form } from "../../components/controls/form.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { UnlessFailed } from "../../components/states/loaded.tsx";
import { Address } from "../../components/text/breakable.tsx";
import { KeyLabel } from "../../components/text/key-label.tsx";
import { fieldError } from "../../form-errors.ts";
import { adminApi, adminQueries } from "../../service/admin.ts";
import { PeriodButtons, DayRangeFields } from "../app/usage/period-fields.tsx";
import { ByModel } from "../app/usage/usage-breakdown.tsx";
import { periodOf } from "../app/usage/usage-choice.ts";
import { UsagePlots } from "../app/usage/usage-plots.tsx";
import { askedFor, UsageStats } from "../app/usage/usage-stats.tsx";
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

interface AccountFilterProps {
  choice: ServiceChoice;
  choose: Choose;
  report: ServiceUsageReport | undefined;
  error: Error | null;
}

/** Filters by one account's email address, and shows the current filter. */
function AccountFilter({ choice, choose, report, error }: AccountFilterProps) {
  const [typed, setTyped] = useState("");
  const isChosen = choice.account !== "" || choice.key !== "";
  const problem = isChosen ? fieldError(error, "account") : undefined;
  if (isChosen && problem === undefined) {
    const account = report?.account ?? null;
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 text-sm">
          <span className="text-muted">Account: </span>
          <Address email={account?.email ?? choice.account} className="font-medium" />
          {choice.key !== "" && (
            <>
              <span className="text-muted">, key: </span>
              <span className="font-medium">
                <KeyLabel name={report?.key?.name ?? choice.key} lastFour={report?.key?.lastFour ?? null} />
              </span>
            </>
          )}
        </p>
        {choice.key !== "" && choice.account !== "" && (
          <Button size="sm" icon={<X />} onClick={() => choose({ key: "" })}>
            All keys
          </Button>
        )}
        <Button size="sm" icon={<X />} onClick={() => choose({ account: "", key: "" })}>
          All accounts
        </Button>
      </div>
    );
  }
  return (
    <Form
      className="flex flex-col gap-3 sm:flex-row sm:items-start"
      error={error}
      onSubmit={() => choose({ account: typed.trim(), key: "" })}
    >
      <Field
        label="Find an account"
        hint="By its email address; empty for all."
        error={problem}
        className="sm:w-80"
      >
        <Input type="email" autoComplete="off" value={typed} onValue={setTyped} />
      </Field>
      <Button type="submit" className="h-10 sm:mt-6.5">
        Show account
      </Button>
    </Form>
  );
}
