/**
 * A time series: bars or lines over hours or days, in the tokens' colours, following theme and width. The
 * plotting library is a chunk of its own, loaded when a chart first appears. Values are shown beside the pointer
 * as it moves; for screen readers the label has the summary, and the page should offer the same numbers as a table or
 * a download.
 */
import { Component, lazy, Suspense, type ReactNode } from "react";
import { Skeleton } from "../states/skeleton.tsx";
import type { ChartProps } from "./series.ts";

const Plot = lazy(() => import("./plot.tsx"));

/** Where a chart of the usual height will be: its legend and its plot. */
export const ChartSkeleton = () => <Skeleton className="h-63 w-full" />;

export function Chart(props: ChartProps) {
  return (
    <PlotFailure>
      <Suspense fallback={<ChartSkeleton />}>
        <Plot {...props} />
      </Suspense>
    </PlotFailure>
  );
}

/**
 * The plotting library's chunk may be unreachable, and it throws as it loads where the browser names a language that
 * Intl refuses ("en-US@posix"). The numbers on the page matter more than their chart.
 */
class PlotFailure extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <p className="flex h-63 items-center justify-center text-center text-sm text-muted">
        The chart could not be drawn. The numbers are in the table below.
      </p>
    );
  }
}
