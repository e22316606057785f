/** The plot behind Chart. Redrawn when data or theme change, resized with its box. */
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { cx } from "../../cx.ts";
import { useThemeVersion } from "../../hooks/use-theme.ts";
import { momentFormat } from "../text/moments.ts";
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
  const cursor = useRef<{ left: number; top: number } | null>(null);
  const theme = useThemeVersion();
  const [pointed, setPointed] = useState<Pointed | null>(null);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const drawn = stacked ? stack(series) : series;
    // Keeps the tooltip current when new numbers arrive while the pointer rests on the plot.
    const pointer = cursor.current;
    const onPoint = (plot: uPlot) => {
      const { left = -1, top = -1 } = plot.cursor;
      cursor.current = left < 0 ? null : { left, top };
      setPointed(pointedOf(plot));
    };
    const plot = new uPlot(
      options(drawn, format, step, element.clientWidth, height, onPoint),
      [moments.map((moment) => Date.parse(moment) / 1000), ...drawn.map((one) => [...one.values])],
      element,
    );
    if (pointer !== null) plot.setCursor(pointer);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [moments, series, format, step, height, stacked, theme]);

  return (
    <figure className="relative">
      <figcaption className="mb-3 flex min-h-5 flex-wrap gap-x-5 gap-y-1 text-sm">
        {series.map((one) => (
          <span key={one.label} className="inline-flex items-center gap-2">
            <Swatch tone={one.tone} />
            {one.label}
          </span>
        ))}
      </figcaption>
      <div ref={box} role="img" aria-label={label} />
      {pointed !== null && (
        <PlotTip pointed={pointed} moment={moments[pointed.at]} series={series} step={step} format={format} />
      )}
    </figure>
  );
}

/** What the pointer is over. */
interface Pointed {
  /** The position of its moment. */
  at: number;
  /** How far from the left, as a share of the width. */
  share: number;
}

interface PlotTipProps extends Required<Pick<ChartProps, "series" | "format" | "step">> {
  pointed: Pointed;
  moment: string | undefined;
}

/** Beside the pointer, on the side that has room. It lies over the plot, so nothing moves as it comes and goes. */
function PlotTip({ pointed: { at, share }, moment, series, format, step }: PlotTipProps) {
  if (moment === undefined) return null;
  const isLeft = share > 0.5;
  return (
    <div
      aria-hidden
      data-screen-only
      className={cx(
        "pointer-events-none absolute top-10 z-10 rounded-md border border-line bg-surface px-3 py-2 text-sm whitespace-nowrap shadow-float",
        isLeft ? "mr-3" : "ml-3",
      )}
      style={isLeft ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` }}
    >
      <p className="text-muted">{when(step).format(new Date(moment))}</p>
      {series.map((one) => (
        <p key={one.label} className="mt-0.5 flex items-center gap-2">
          <Swatch tone={one.tone} />
          {one.label}
          <span className="ml-auto pl-4 font-medium tabular-nums">{shown(one.values[at], format)}</span>
        </p>
      ))}
    </div>
  );
}

function Swatch({ tone = 1 }: { tone?: Series["tone"] }) {
  return <span className={cx("h-0.75 w-3 shrink-0 rounded-full", swatches[tone])} aria-hidden />;
}

/** Draws the whole column first, then each lower part over it. */
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
  onPoint: (plot: uPlot) => void,
): uPlot.Options {
  const grid = { stroke: colour("--color-line"), width: 1 };
  // Room for the first and the last bar, which are centred on their moment; lines use the same axis.
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
        gap: 8,
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
    hooks: { setCursor: [onPoint] },
  };
}

function pointedOf(plot: uPlot): Pointed | null {
  const { idx, left = -1 } = plot.cursor;
  if (idx === null || idx === undefined || left < 0) return null;
  return { at: idx, share: (plot.bbox.left / devicePixelRatio + left) / plot.width };
}

/** Single values between two gaps: drawn as points, since a line would not show them. */
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
/** A moment on the axis of days is midnight in the reader's zone of a day that was counted in UTC. */
const utcDay = { format: (moment: Date) => `${fullDay.format(moment)}, UTC` };
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const when = (step: "hour" | "day") => (step === "day" ? utcDay : momentFormat);

const stepSeconds = { hour: 3_600, day: 86_400 };
const swatches = { 1: "bg-series-1", 2: "bg-series-2", 3: "bg-series-3", bad: "bg-bad" };
