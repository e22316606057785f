import { useMemo } from "react";
import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";
import { formatCount, formatMs, formatShort } from "../../../units.ts";
import type { Measure } from "./measure.ts";
import { UsagePlot } from "./usage-plot.tsx";
import { refused } from "./usage-stats.tsx";
import { withEmptyBuckets, type UsagePeriod } from "./usage-period.ts";

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
