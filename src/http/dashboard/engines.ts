/** The engines, which models each of them serves and how it does, for admins. */
import type { EngineView } from "../../protocol/dashboard/engines.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";

export const engineRoutes = (parts: DashboardParts): DashboardRoute[] => [
  admin("GET", "/admin/engines", async () => ({ engines: engineViews(parts) })),
];

export const engineViews = (parts: DashboardParts): EngineView[] =>
  parts.sharers().flatMap((models): EngineView[] => {
    const [model] = models;
    if (model === undefined) return [];
    const { http, dashboard, queue, memoryBytes, compute, members } = parts;
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
        compute: compute(model),
        members: members(model),
        problem: problem?.text ?? null,
      },
    ];
  });
