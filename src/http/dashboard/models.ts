/** What answers for the models, and the pulls that bring weights here, for admins. */
import { engineBody, pullBody, useWeightsBody } from "../../protocol/dashboard/models.js";
import { actorOf } from "./accounts.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";

export function modelRoutes({ models }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/models", () => models.now()),
    admin("GET", "/admin/models/choices", () => models.choices()),
    admin("POST", "/admin/models/preflight", async (visit) => models.preflight(await visit.body(engineBody))),
    admin("POST", "/admin/models/:id/weights", async (visit, me) => {
      const { file, force = false } = await visit.body(useWeightsBody);
      await models.useWeights(actorOf(me), visit.id, file, force);
      return {};
    }),
    admin("POST", "/admin/models/:id/engine", async (visit, me) => {
      await models.useEngine(actorOf(me), visit.id, await visit.body(engineBody));
      return {};
    }),
    admin("POST", "/admin/models/:id/default", async ({ id }, me) => {
      await models.useDefault(actorOf(me), id);
      return {};
    }),
    admin("POST", "/admin/models/:id/roll-back", async ({ id }, me) => {
      await models.rollBack(actorOf(me), id);
      return {};
    }),
    admin("POST", "/admin/pulls", async (visit, me) => models.pull(actorOf(me), await visit.body(pullBody))),
    admin("POST", "/admin/pulls/:id/pause", ({ id }, me) => models.pause(actorOf(me), id)),
    admin("POST", "/admin/pulls/:id/resume", ({ id }, me) => models.resume(actorOf(me), id)),
    admin("DELETE", "/admin/pulls/:id", async ({ id }, me) => {
      await models.cancel(actorOf(me), id);
      return {};
    }),
  ];
}
