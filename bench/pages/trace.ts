/** Chromium's trace of a page load, and the web vitals in it. */
import type { Browser, Page } from "playwright-core";

export interface Vitals {
  lcpMs: number;
  shift: number;
  longTasks: number;
  longTaskMs: number;
}

/** Longer tasks delay user input. */
const longTaskMs = 50;

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  args?: { data?: { documentLoaderURL?: string; score?: number; had_recent_input?: boolean } };
}

export async function traced(
  browser: Browser,
  page: Page,
  visit: () => Promise<void>,
): Promise<TraceEvent[]> {
  const categories = [
    ...["loading", "blink.user_timing", "devtools.timeline"],
    "disabled-by-default-devtools.timeline",
  ];
  await browser.startTracing(page, { categories });
  await visit();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  return trace.traceEvents;
}

export function readTrace(events: readonly TraceEvent[]): Vitals {
  const start = events.findLast(
    ({ name, args }) => name === "navigationStart" && args?.data?.documentLoaderURL?.startsWith("http"),
  );
  if (start === undefined) throw new Error("The trace has no navigation.");
  const ofPage = events.filter(({ pid, ts }) => pid === start.pid && ts >= start.ts);
  const named = (name: string) => ofPage.filter((event) => event.name === name);
  const paint = named("largestContentfulPaint::Candidate").at(-1);
  const shifts = named("LayoutShift").filter(({ args }) => args?.data?.had_recent_input !== true);
  const tasks = named("RunTask")
    .filter(({ tid }) => tid === start.tid)
    .map(({ dur = 0 }) => dur / 1000)
    .filter((ms) => ms >= longTaskMs);
  return {
    lcpMs: ((paint?.ts ?? start.ts) - start.ts) / 1000,
    shift: shifts.reduce((sum, { args }) => sum + (args?.data?.score ?? 0), 0),
    longTasks: tasks.length,
    longTaskMs: tasks.reduce((sum, ms) => sum + ms, 0),
  };
}
