/** What a server does at this moment, for admins. Where it has several processes, each has a view, and they are added. */
import type { LiveMinute } from "../../core/admin/service-views.js";
import { modelIds } from "../../core/models.js";
import type { EngineComputeView, EngineView } from "../../protocol/dashboard/engines.js";
import type { DashboardParts, LiveView } from "./parts.js";

/** Of all processes. */
export async function liveView(parts: DashboardParts): Promise<LiveView> {
  const views = (await parts.processViews?.()) ?? [];
  // Where the others cannot be asked, at least what is known here.
  const [first = ownLiveView(parts), ...others] = views;
  return others.reduce(sumOfViews, first);
}

/** Of this process. */
export function ownLiveView(parts: DashboardParts): LiveView {
  const { dashboard, http, queue, sharers } = parts;
  return {
    engines: engineViews(parts),
    queues: sharers().flatMap((models) => {
      const [model] = models;
      if (model === undefined) return [];
      const { running, waiting } = queue(model);
      return [{ models, running, waiting, capacity: http.engineStatus(model).capacity }];
    }),
    minutes: dashboard.live.read(),
    tokensPerSecond: dashboard.rates.tokensPerSecond(modelIds),
  };
}

const engineViews = (parts: DashboardParts): EngineView[] =>
  parts.sharers().flatMap((models): EngineView[] => {
    const [model] = models;
    if (model === undefined) return [];
    const { http, dashboard, queue, memoryBytes, compute, members, typed } = parts;
    const { state, serving, contextTokens, capacity, active, restarts, problem } = http.engineStatus(model);
    return [
      {
        models,
        serving,
        state,
        active,
        capacity,
        waiting: queue(model).waiting,
        contextTokens,
        restarts,
        tokensPerSecond: dashboard.rates.tokensPerSecond(models),
        memoryBytes: memoryBytes(model),
        queueWaitMsP50: dashboard.rates.queueWaitMsP50(models),
        compute: asTyped(compute(model), typed),
        members: members(model),
        problem: problem === undefined ? null : typed(problem.text),
      },
    ];
  });

const asTyped = (
  compute: EngineComputeView | null,
  typed: DashboardParts["typed"],
): EngineComputeView | null =>
  compute && {
    ...compute,
    failures: compute.failures.map((failure) => ({ ...failure, advice: typed(failure.advice) })),
  };

export function sumOfViews(one: LiveView, other: LiveView): LiveView {
  const same = <T extends { models: string[] }>(list: T[], { models }: T): T | undefined =>
    list.find((entry) => entry.models.join() === models.join());
  return {
    engines: one.engines.map((engine) => sumOfEngines(engine, same(other.engines, engine))),
    queues: one.queues.map((queue) => added(queue, same(other.queues, queue), queueCounts)),
    minutes: sumOfMinutes(one.minutes, other.minutes),
    tokensPerSecond: round(one.tokensPerSecond + other.tokensPerSecond),
  };
}

const queueCounts = ["running", "waiting", "capacity"] as const;
const engineCounts = ["active", "capacity", "waiting", "restarts", "tokensPerSecond"] as const;
const minuteCounts = ["requests", "errors", "refused", "waiting", "running", "tokensPerSecond"] as const;

function sumOfEngines(one: EngineView, other: EngineView | undefined): EngineView {
  const waits = [one.queueWaitMsP50, other?.queueWaitMsP50 ?? null].filter((wait) => wait !== null);
  return {
    ...added(one, other, engineCounts),
    queueWaitMsP50: waits.length === 0 ? null : Math.max(...waits),
    members: one.members.map((member) =>
      added(
        member,
        other?.members.find(({ id }) => id === member.id),
        ["active"],
      ),
    ),
  };
}

/** A process that was started later lacks the minutes before. */
function sumOfMinutes(one: LiveMinute[], other: LiveMinute[]): LiveMinute[] {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  const byStart = new Map(shorter.map((minute) => [minute.start, minute]));
  return longer.map((minute) => added(minute, byStart.get(minute.start), minuteCounts));
}

function added<K extends string, T extends Record<K, number>>(
  one: T,
  other: T | undefined,
  counts: readonly K[],
): T {
  if (other === undefined) return one;
  return { ...one, ...Object.fromEntries(counts.map((count) => [count, round(one[count] + other[count])])) };
}

const round = (value: number): number => Math.round(value * 10) / 10;
