/** What a chart is drawn from. */
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
