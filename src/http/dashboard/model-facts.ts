/** What people choose a model by, and what an operator could put behind it instead of the starter. */
import type { ModelFacts } from "../../protocol/dashboard/api.js";
import { modelIds, type ModelId } from "../../core/models.js";
import { isOffered } from "../../core/serving/required-task.js";
import type { DashboardParts } from "./parts.js";
import { admin, anyone, type DashboardRoute } from "./route.js";

export function modelFactsRoutes({ http, weights, suggestion }: DashboardParts): DashboardRoute[] {
  const factsOf = async (id: ModelId): Promise<ModelFacts> => {
    const { contextTokens, follows } = http.engineStatus(id);
    return {
      id,
      description: http.modelDescription?.(id) ?? null,
      contextTokens: contextTokens > 0 ? contextTokens : null,
      tools: follows.tools,
      vision: follows.vision ?? false,
      weights: await weights(id),
    };
  };
  return [
    anyone("GET", "/models", async () => {
      const offered = modelIds.filter((id) => isOffered(id, http.engineStatus(id)));
      return { models: await Promise.all(offered.map(factsOf)) };
    }),
    admin("GET", "/admin/model-suggestion", async () => ({ suggestion: suggestion() })),
  ];
}
