import { ChevronRight } from "lucide-react";
import type { UsageBucket } from "../../../../src/core/usage/usage-views.js";
import type { Series } from "../../../components/figures/series.ts";
import { MomentText } from "../../../components/text/moment-text.tsx";
import { momentPieces, zoneName } from "../../../components/text/moments.ts";
import { axisMoment, type Step } from "./usage-period.ts";
import { askedFor } from "./usage-stats.tsx";

interface UsageNumbersProps {
  title: string;
  measures: readonly Measure[];
  buckets: readonly UsageBucket[];
  step: Step;
  format: (value: number) => string;
}

/** A plot's numbers, newest first; steps without requests are left out. */
export function UsageNumbers({ title, measures, buckets, step, format }: UsageNumbersProps) {
  const rows = buckets.filter((bucket) => askedFor(bucket) > 0).toReversed();
  return (
    <details className="group mt-3 text-sm">
      <summary className="inline-flex items-center gap-1 rounded-sm text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 transition-transform group-open:rotate-90" aria-hidden />
        As a table
      </summary>
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
export interface Measure extends Pick<Series, "label" | "kind" | "tone"> {
  of: (bucket: UsageBucket) => number | null;
}
