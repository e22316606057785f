import { useMemo } from "react";
import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";
import { Chart, ChartSkeleton } from "../../../components/figures/chart.tsx";
import type { Series } from "../../../components/figures/series.ts";
import { Card } from "../../../components/frame/card.tsx";
import { Skeleton } from "../../../components/states/skeleton.tsx";
import { formatCount, formatMs, formatShort } from "../../../units.ts";
import { type Measure, UsageNumbers } from "./usage-numbers.tsx";
import { withEmptyBuckets, type UsagePeriod, axisMoment, type Step } from "./usage-period.ts";
import { refused } from "./usage-stats.tsx";

interface UsagePlotsProps {
  buckets: readonly UsageBucket[] | undefined;
  period: UsagePeriod;
}

export function UsagePlots({ buckets, period }: UsagePlotsProps) {
  const { from, to, step } = period;
  const all = useMemo(
    () => (buckets === undefined ? undefined : withEmptyBuckets(buckets, { from, to, step })),
    [buckets, from, to, step],
  );
  return (
    <>
      <UsagePlot
        stacked
        title="Requests"
        measures={requests}
        buckets={all}
        step={step}
        format={formatShort}
        exact={formatCount}
      />
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-2">
        <UsagePlot
          stacked
          title="Tokens"
          measures={tokens}
          buckets={all}
          step={step}
          format={formatShort}
          exact={formatCount}
        />
        <UsagePlot
          title="Time to first token"
          measures={firstToken}
          buckets={all}
          step={step}
          format={formatMs}
          exact={formatMs}
        />
      </div>
    </>
  );
}

// Outside the component, so that a plot is redrawn only when its numbers change.
const requests: readonly Measure[] = [
  { label: "Succeeded", kind: "bars", tone: 1, of: (bucket) => bucket.requests - bucket.errors },
  { label: "Errors", kind: "bars", tone: "bad", of: (bucket) => bucket.errors },
  { label: "Refused", kind: "bars", tone: 2, of: refused },
];
const tokens: readonly Measure[] = [
  { label: "Prompt", kind: "bars", tone: 1, of: (bucket) => bucket.promptTokens },
  { label: "Completion", kind: "bars", tone: 2, of: (bucket) => bucket.completionTokens },
];
const firstToken: readonly Measure[] = [
  { label: "Median", kind: "line", tone: 1, of: (bucket) => bucket.firstTokenMsP50 },
  { label: "95th percentile", kind: "line", tone: 3, of: (bucket) => bucket.firstTokenMsP95 },
];

/** One usage plot and, collapsed beneath it, the same numbers as a table. */
interface UsagePlotProps {
  title: string;
  measures: readonly Measure[];
  /** Every step of the period; undefined while it loads. */
  buckets: readonly UsageBucket[] | undefined;
  step: Step;
  /** For the axis and the legend. */
  format: (value: number) => string;
  /** For the table. */
  exact: (value: number) => string;
  stacked?: boolean;
}

function UsagePlot({ title, measures, buckets, step, format, exact, stacked = false }: UsagePlotProps) {
  const moments = useMemo(
    () => (buckets ?? []).map((bucket) => axisMoment(bucket.start, step)),
    [buckets, step],
  );
  const series = useMemo(
    () => measures.map((measure): Series => ({ ...measure, values: (buckets ?? []).map(measure.of) })),
    [buckets, measures],
  );
  return (
    <Card title={title}>
      {buckets === undefined ? (
        <>
          <ChartSkeleton />
          {/* Of the table beneath. */}
          <Skeleton className="mt-4 mb-1 h-3 w-24" />
        </>
      ) : (
        <>
          <Chart
            label={`${title} by ${step}. The numbers are in the table below.`}
            moments={moments}
            series={series}
            step={step}
            format={format}
            stacked={stacked}
          />
          <UsageNumbers title={title} measures={measures} buckets={buckets} step={step} format={exact} />
        </>
      )}
    </Card>
  );
}
