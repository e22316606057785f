import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChartColumn, Download } from "lucide-react";
import { playgroundKeyId } from "../../../src/core/bounds.js";
import { isModelId, modelIds } from "../../../src/core/models.js";
import { ButtonAnchor, ButtonLink } from "../../components/controls/button.tsx";
import { Combobox } from "../../components/controls/combobox.tsx";
import { Select } from "../../components/controls/field.tsx";
import { MonthCard } from "../../components/figures/month-use.tsx";
import { Card } from "../../components/frame/card.tsx";
import { PageHeader } from "../../components/frame/page-header.tsx";
import { EmptyState } from "../../components/states/empty-state.tsx";
import { UnlessFailed } from "../../components/states/loaded.tsx";
import { useSpace } from "../../hooks/use-space.ts";
import { useUrlFilters } from "../../hooks/use-url-filters.ts";
import { api } from "../../service/api.ts";
import { queries } from "../../service/queries.ts";
import { seesUsageParts, useTeam } from "../../service/teams.ts";
import { MemberUsageCard } from "./team/member-usage.tsx";
import { PeriodButtons, DayRangeFields } from "./usage/period-fields.tsx";
import { UsageBreakdown } from "./usage/usage-breakdown.tsx";
import {
  choiceOf,
  filtersOf,
  periodOf,
  usualFilters,
  type PeriodChoice,
  type UsageChoice,
} from "./usage/usage-choice.ts";
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
  const read = useQuery({
    ...queries.usage(query, space.id),
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData } = read;
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
        <UnlessFailed query={read} what="the usage">
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
        </UnlessFailed>
        {/* Below what may become shorter once it has loaded: it would move. */}
        {data !== undefined && <MonthCard month={month} />}
      </div>
    </>
  );
}

interface UsageFiltersProps {
  choice: UsageChoice;
  onChange: (choice: UsageChoice) => void;
}

function UsageFilters({ choice, onChange }: UsageFiltersProps) {
  const space = useSpace();
  const { data } = useQuery(space.id === null ? queries.keys : queries.teamKeys(space.id));
  const keys = data?.keys ?? [];
  // Stays selected while the keys load.
  const isListed = ["", playgroundKeyId, ...keys.map(({ id }) => id)].includes(choice.key);
  const { period } = choice;
  const choosePeriod = (next: PeriodChoice) => onChange({ ...choice, period: next });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <PeriodButtons period={period} onChange={choosePeriod} />
      <div className="flex w-full gap-3 sm:ml-auto sm:w-auto">
        <Combobox
          label="Key"
          className="min-w-0 flex-1 sm:w-38"
          value={choice.key}
          onChange={(key) => onChange({ ...choice, key })}
          options={[
            { value: "", label: "All keys" },
            ...(space.id === null ? [{ value: playgroundKeyId, label: "Playground" }] : []),
            ...keys.map((key) => ({ value: key.id, label: `${key.name} (…${key.lastFour})` })),
            ...(isListed ? [] : [{ value: choice.key, label: "One key" }]),
          ]}
        />
        <Select
          size="sm"
          aria-label="Model"
          className="min-w-0 flex-1 sm:w-32"
          value={choice.model}
          onValue={(value) => onChange({ ...choice, model: isModelId(value) ? value : "" })}
          options={[{ value: "", label: "All models" }, ...modelIds.map((id) => ({ value: id, label: id }))]}
        />
      </div>
      {typeof period !== "string" && <DayRangeFields range={period} onChange={choosePeriod} />}
    </div>
  );
}
