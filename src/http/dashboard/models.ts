/** What people choose a model by; for admins, what answers for each, the engines, and the pulls that bring weights here. */
import { modelIds, type ModelId } from "../../core/models.js";
import { isOffered } from "../../core/serving/required-task.js";
import type { ModelFacts } from "../../protocol/dashboard/api.js";
import { choicesQuery, engineBody, pullBody, useWeightsBody } from "../../protocol/dashboard/models.js";
import { liveView } from "./live-view.js";
import type { DashboardParts } from "./parts.js";
import { admin, anyone, type DashboardRoute } from "./route.js";

export function modelRoutes(parts: DashboardParts): DashboardRoute[] {
  const { http, models, weights, suggestion } = parts;
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
    admin("GET", "/admin/engines", async () => ({ engines: (await liveView(parts)).engines })),
    admin("GET", "/admin/models", () => models.now()),
    admin("GET", "/admin/models/choices", (visit) => models.choices(visit.query(choicesQuery).model)),
    admin("GET", "/admin/models/:id", ({ id }) => models.one(id)),
    admin("POST", "/admin/models/preflight", async (visit) => models.preflight(await visit.body(engineBody))),
    admin("POST", "/admin/models/:id/weights", async (visit, actor) => {
      await models.useWeights(actor, visit.id, await visit.body(useWeightsBody));
    }),
    admin("POST", "/admin/models/:id/engine", async (visit, actor) =>
      models.useEngine(actor, visit.id, await visit.body(engineBody)),
    ),
    admin("POST", "/admin/models/:id/default", ({ id }, actor) => models.useDefault(actor, id)),
    admin("POST", "/admin/models/:id/roll-back", ({ id }, actor) => models.rollBack(actor, id)),
    admin("POST", "/admin/pulls", async (visit, actor) => models.pull(actor, await visit.body(pullBody))),
    admin("GET", "/admin/pulls/:id", async ({ id }) => models.onePull(id)),
    admin("POST", "/admin/pulls/:id/pause", ({ id }, actor) => models.pause(actor, id)),
    admin("POST", "/admin/pulls/:id/resume", ({ id }, actor) => models.resume(actor, id)),
    admin("DELETE", "/admin/pulls/:id", ({ id }, actor) => models.cancel(actor, id)),
  ];
}
