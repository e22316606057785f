/** What serves each model and how it does, for admins. */
import type { EngineView } from "../../protocol/dashboard.js";
import { modelIds } from "../../protocol/models.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";

export function engineRoutes({
  http,
  dashboard,
  queue,
  memoryBytes,
  compute,
  members,
}: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/engines", async () => {
      const engines = modelIds.map((model): EngineView => {
        const { state, serving, contextTokens, capacity, active, restarts } = http.engineStatus(model);
        return {
          model,
          serving,
          state,
          active,
          capacity,
          waiting: queue(model).waiting,
          contextTokens,
          restarts,
          tokensPerSecond: dashboard.rates.tokensPerSecond(model),
          memoryBytes: memoryBytes(model),
          queueWaitMsP50: dashboard.rates.queueWaitMsP50(model),
          compute: compute(model),
          members: members(model),
        };
      });
      return { engines };
    }),
  ];
}
