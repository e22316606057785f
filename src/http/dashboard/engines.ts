/** The engines, which models each of them serves and how it does, for admins. */
import type { EngineComputeView, EngineView } from "../../protocol/dashboard/engines.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";

export const engineRoutes = (parts: DashboardParts): DashboardRoute[] => [
  admin("GET", "/admin/engines", async () => ({ engines: engineViews(parts) })),
];

export const engineViews = (parts: DashboardParts): EngineView[] =>
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
