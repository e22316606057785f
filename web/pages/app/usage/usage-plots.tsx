import { useMemo } from "react";
import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";
import { Chart, ChartSkeleton } from "../../../components/figures/chart.tsx";
import type { Series } from "../../../components/figures/series.ts";
import { Card } from "../../../components/frame/card.tsx";
import { Skeleton } from "../../../components/states/skeleton.tsx";
import { MomentText } from "../../../components/text/moment-text.tsx";
import { momentPieces, zoneName } from "../../../components/text/moments.ts";
import { Summary } from "../../../components/text/summary.tsx";
import { formatCount, formatMs, formatShort } from "../../../units.ts";
import { withEmptyBuckets, type UsagePeriod, axisMoment, type Step } from "./usage-period.ts";
import { refused, askedFor } from "./usage-stats.tsx";

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

interface UsageNumbersProps {
  title: string;
  measures: readonly Measure[];
  buckets: readonly UsageBucket[];
  step: Step;
  format: (value: number) => string;
}

/** A plot's numbers, newest first; steps without requests are left out. */
function UsageNumbers({ title, measures, buckets, step, format }: UsageNumbersProps) {
  const rows = buckets.filter((bucket) => askedFor(bucket) > 0).toReversed();
  return (
    <details className="group mt-3 text-sm">
      <Summary>As a table</Summary>
      <div
        role="group"
        aria-label={`${title} as a table`}
        tabIndex={0}
        className="mt-3 max-h-72 overflow-auto"
      >
        {/* Token counts of ten digits, beside a date and a scroll bar, fit a phone only in small text. */}
        <table className="w-full text-left text-xs tabular-nums sm:text-sm">
          <caption className="sr-only">
            {title} by {step}, newest first
          </caption>
          <thead>
            <tr className="border-b border-line text-muted">
              <th scope="col" className="py-1.5 pr-3 font-medium">
                {step === "day" ? "Day (UTC)" : `Hour (${zoneName()})`}
              </th>
              {measures.map((measure) => (
                <th key={measure.label} scope="col" className="py-1.5 pl-3 text-right font-medium">
                  {measure.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((bucket) => (
              <tr key={bucket.start}>
                <th scope="row" className="py-1.5 pr-3 font-normal sm:whitespace-nowrap">
                  <MomentText pieces={momentPieces(when[step], new Date(axisMoment(bucket.start, step)))} />
                </th>
                {measures.map((measure) => (
                  <td key={measure.label} className="py-1.5 pl-3 text-right">
                    {shown(measure.of(bucket), format)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}

const when: Record<Step, Intl.DateTimeFormat> = {
  hour: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }),
};

/** One line of a usage plot, and one column of its table. */
interface Measure extends Pick<Series, "label" | "kind" | "tone"> {
  of: (bucket: UsageBucket) => number | null;
}
