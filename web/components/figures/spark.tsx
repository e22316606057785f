/**
 * A small chart without axes: one bar or one point for each value, the newest at the right. The number beside it and
 * its label have the information; the chart only shows the trend.
 */
import { cx } from "../../cx.ts";

interface SparkProps {
  /** The text alternative for screen readers. */
  label: string;
  /** Null leaves a gap. */
  values: readonly (number | null)[];
  kind?: "bars" | "line";
  tone?: "accent" | "bad" | "warn";
  /** The value at full height; the largest value by default. */
  max?: number | undefined;
}

const height = 36;
/** Of one value, in the picture's own units. */
const stride = 4;

export function Spark({ label, values, kind = "bars", tone = "accent", max }: SparkProps) {
  const top = Math.max(max ?? 0, ...values.map((value) => value ?? 0), Number.MIN_VALUE);
  const y = (value: number) => height - (value / top) * (height - 2);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, values.length) * stride} ${height}`}
      preserveAspectRatio="none"
      className={cx("block h-9 w-full", tones[tone])}
    >
      <line
        x1={0}
        x2="100%"
        y1={height}
        y2={height}
        className="stroke-line"
        vectorEffect="non-scaling-stroke"
      />
      {kind === "bars" ? (
        values.map((value, place) =>
          value === null || value === 0 ? null : (
            <rect
              key={place}
              x={place * stride + 0.5}
              width={stride - 1}
              y={Math.min(y(value), height - 2)}
              height={Math.max(height - y(value), 2)}
              fill="currentColor"
            />
          ),
        )
      ) : (
        <path
          d={lineOf(values, y)}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}

function lineOf(values: readonly (number | null)[], y: (value: number) => number): string {
  let isOpen = false;
  return values
    .flatMap((value, place) => {
      if (value === null) {
        isOpen = false;
        return [];
      }
      const command = isOpen ? "L" : "M";
      isOpen = true;
      const point = `${place * stride + stride / 2} ${y(value).toFixed(2)}`;
      // A single point is drawn too.
      return command === "M" ? [`M${point}`, `L${point}`] : [`L${point}`];
    })
    .join("");
}

const tones = { accent: "text-series-1", bad: "text-bad", warn: "text-series-2" };
