/** Changelog and maintenance, for admins. */
import type { NewWindow } from "../../core/admin/news.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { entryView, maintenanceView } from "./views.js";
import { changelogBody, maintenanceBody } from "../../protocol/dashboard/api.js";

export function newsRoutes({ dashboard: { news, drafts } }: DashboardParts): DashboardRoute[] {
  const view = (window: MaintenanceWindow) => maintenanceView(window, news.stateOf(window));
  return [
    admin("GET", "/admin/changelog", async () => ({ entries: (await news.listEntries()).map(entryView) })),
    admin("GET", "/admin/changelog/:id", async ({ id }) => entryView(await news.requireEntry(id))),
    admin("POST", "/admin/changelog", async (visit, actor) => {
      const { title, body } = await visit.body(changelogBody);
      return entryView(await news.publish(actor, title, body));
    }),
    admin("PUT", "/admin/changelog/:id", async (visit, actor) => {
      const { title, body } = await visit.body(changelogBody);
      return entryView(await news.change(actor, visit.id, title, body));
    }),
    admin("DELETE", "/admin/changelog/:id", ({ id }, actor) => news.remove(actor, id)),
    admin("GET", "/admin/changelog/drafts", async () => ({ drafts: await drafts.list() })),
    admin("POST", "/admin/changelog/drafts/:id", async (visit, actor) => {
      const text = await visit.body(changelogBody);
      return entryView(await drafts.publish(actor, { model: visit.id, ...text }));
    }),
    admin("DELETE", "/admin/changelog/drafts/:id", ({ id }) => drafts.discard(id)),
    admin("GET", "/admin/maintenance", async () => ({
      maintenance: (await news.listWindows()).map(view),
    })),
    admin("GET", "/admin/maintenance/:id", async ({ id }) => view(await news.requireWindow(id))),
    admin("POST", "/admin/maintenance", async (visit, actor) =>
      view(await news.schedule(actor, await plannedWindow(visit))),
    ),
    admin("PUT", "/admin/maintenance/:id", async (visit, actor) =>
      view(await news.reschedule(actor, visit.id, await plannedWindow(visit))),
    ),
    admin("POST", "/admin/maintenance/:id/end", async ({ id }, actor) => view(await news.end(actor, id))),
  ];
}

async function plannedWindow(visit: Visit): Promise<NewWindow> {
  const { startsAt, endsAt, ...text } = await visit.body(maintenanceBody);
  return { ...text, startsAt: new Date(startsAt), endsAt: new Date(endsAt) };
}
