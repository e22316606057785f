/** The plot behind Chart. Redrawn when data or theme change, resized with its box. */
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useThemeVersion } from "../../hooks/use-theme.ts";
import type { ChartProps, Series } from "./series.ts";

export default function Plot({
  label,
  moments,
  series,
  format = whole,
  step = "hour",
  height = 220,
  stacked = false,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useThemeVersion();
  const [at, setAt] = useState<number | null>(null);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const drawn = stacked ? stack(series) : series;
    const plot = new uPlot(
      options(drawn, format, step, element.clientWidth, height, setAt),
      [moments.map((moment) => Date.parse(moment) / 1000), ...drawn.map((one) => [...one.values])],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [moments, series, format, step, height, stacked, theme]);

  const moment = at === null ? undefined : moments[at];
  return (
    <figure>
      <figcaption className="mb-3 flex min-h-5 flex-wrap gap-x-5 gap-y-1 text-sm">
        {series.map((one) => (
          <span key={one.label} className="inline-flex items-center gap-2">
            <span className={`h-0.75 w-3 rounded-full ${swatches[one.tone ?? 1]}`} aria-hidden />
            {one.label}
            {at !== null && <span className="text-muted tabular-nums">{shown(one.values[at], format)}</span>}
          </span>
        ))}
        {moment !== undefined && (
          <span className="ml-auto text-muted">{when(step).format(new Date(moment))}</span>
        )}
      </figcaption>
      <div ref={box} role="img" aria-label={label} />
    </figure>
  );
}

/** The whole column is drawn first, then each lower part over it. */
function stack(series: readonly Series[]): Series[] {
  return series
    .map((one, place) => ({
      ...one,
      values: one.values.map((_, at) =>
        series.slice(0, place + 1).reduce((sum, below) => sum + (below.values[at] ?? 0), 0),
      ),
    }))
    .toReversed();
}

function options(
  series: readonly Series[],
  format: (value: number) => string,
  step: "hour" | "day",
  width: number,
  height: number,
  onCursor: (at: number | null) => void,
): uPlot.Options {
  const grid = { stroke: colour("--color-line"), width: 1 };
  // Room for the first and the last bar, which stand astride their moment; lines keep to the same axis.
  const margin = stepSeconds[step] / 2;
  const axis = { stroke: colour("--color-muted"), font: "12px Inter, sans-serif", ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_plot, min, max) => [min - margin, max + margin] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        space: 72,
        values: (_plot, ticks) => ticks.map((tick) => axisTime(tick, step)),
      },
      { ...axis, grid, size: 56, space: 44, values: (_plot, ticks) => ticks.map((tick) => format(tick)) },
    ],
    series: [
      {},
      ...series.map((one): uPlot.Series => {
        const stroke = colour(one.tone === "bad" ? "--color-bad" : `--color-series-${one.tone ?? 1}`);
        const bars = one.kind === "bars" ? uPlot.paths.bars : undefined;
        return bars === undefined
          ? {
              label: one.label,
              stroke,
              width: 1.75,
              spanGaps: false,
              points: { show: false, size: 5, fill: stroke, filter: () => alone(one.values) },
            }
          : {
              label: one.label,
              stroke,
              fill: stroke,
              width: 0,
              points: { show: false },
              paths: bars({ size: [0.72, 36], radius: 0.12 }),
            };
      }),
    ],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
  };
}

/** The values between two gaps: a line cannot show them, so they are drawn as points. */
function alone(values: Series["values"]): number[] {
  return values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  );
}

/** A token's colour as the browser resolves it for the current theme. */
function colour(token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

function axisTime(seconds: number, step: "hour" | "day"): string {
  const moment = new Date(seconds * 1000);
  if (step === "day" || (moment.getHours() === 0 && moment.getMinutes() === 0)) return day.format(moment);
  return hour.format(moment);
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

const whole = (value: number) => value.toLocaleString();
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const hour = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const dayAndHour = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const when = (step: "hour" | "day") => (step === "day" ? day : dayAndHour);

const stepSeconds = { hour: 3_600, day: 86_400 };
const swatches = { 1: "bg-series-1", 2: "bg-series-2", 3: "bg-series-3", bad: "bg-bad" };
