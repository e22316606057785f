/** What answers for the models, and the pulls that bring weights here, for admins. */
import { choicesQuery, engineBody, pullBody, useWeightsBody } from "../../protocol/dashboard/models.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";

export function modelRoutes({ models }: DashboardParts): DashboardRoute[] {
  return [
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
