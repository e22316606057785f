/** One usage plot and, collapsed beneath it, the same numbers as a table. */
import { useMemo } from "react";
import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";
import { Card } from "../../../components/frame/card.tsx";
import { Chart, ChartSkeleton } from "../../../components/figures/chart.tsx";
import type { Series } from "../../../components/figures/series.ts";
import { Skeleton } from "../../../components/states/skeleton.tsx";
import type { Measure } from "./measure.ts";
import { axisMoment, type Step } from "./usage-period.ts";
import { UsageNumbers } from "./usage-numbers.tsx";

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

export function UsagePlot({
  title,
  measures,
  buckets,
  step,
  format,
  exact,
  stacked = false,
}: UsagePlotProps) {
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
