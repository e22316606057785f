/**
 * A time series: bars or lines over hours or days, in the tokens' colours, following theme and width. The
 * plotting library is a chunk of its own, loaded when a chart first appears. Values are read from the legend
 * as the pointer moves; for readers who cannot see it the label carries the summary, and the page should
 * offer the same numbers as a table or a download.
 */
import { lazy, Suspense } from "react";
import { Skeleton } from "./skeleton.tsx";

export interface Series {
  label: string;
  /** One for each moment; null leaves a gap. */
  values: readonly (number | null)[];
  kind?: "bars" | "line";
  tone?: 1 | 2 | 3 | "bad";
}

export interface ChartProps {
  /** What it shows, with the gist: "Requests by hour, 1,204 in all". */
  label: string;
  /** ISO moments, ascending. */
  moments: readonly string[];
  series: readonly Series[];
  /** For the axis and the legend; whole numbers with separators by default. */
  format?: (value: number) => string;
  step?: "hour" | "day";
  height?: number;
  /** Each series stands on the one before it, for parts of a whole. */
  stacked?: boolean;
}

// The library reads the browser's locale as it loads, and fails on one that is no language tag ("en-US@posix"). A
// page goes on without its plot: the numbers are there as well.
const Plot = lazy(() => import("./plot.tsx").catch(() => ({ default: NoPlot })));

export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton className="h-64 w-full" />}>
      <Plot {...props} />
    </Suspense>
  );
}

function NoPlot({ label }: ChartProps) {
  return <p className="py-6 text-sm text-muted">The chart could not be drawn. {label}</p>;
}
