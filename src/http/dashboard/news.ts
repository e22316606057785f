/** Changelog and maintenance, for admins. */
import type { NewWindow } from "../../core/admin/news.js";
import { actorOf } from "./accounts.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { entryView, maintenanceView } from "./views.js";
import { changelogBody, maintenanceBody } from "../../protocol/dashboard/api.js";

export function newsRoutes({ dashboard: { news } }: DashboardParts): DashboardRoute[] {
  return [
    admin("POST", "/admin/changelog", async (visit, me) => {
      const { title, body } = await visit.body(changelogBody);
      return entryView(await news.publish(actorOf(me), title, body));
    }),
    admin("PUT", "/admin/changelog/:id", async (visit, me) => {
      const { title, body } = await visit.body(changelogBody);
      return entryView(await news.change(actorOf(me), visit.id, title, body));
    }),
    admin("DELETE", "/admin/changelog/:id", async ({ id }, me) => {
      await news.remove(actorOf(me), id);
      return {};
    }),
    admin("POST", "/admin/maintenance", async (visit, me) => {
      const window = await news.schedule(actorOf(me), await plannedWindow(visit));
      return maintenanceView(window, news.stateOf(window));
    }),
    admin("PUT", "/admin/maintenance/:id", async (visit, me) => {
      const window = await news.reschedule(actorOf(me), visit.id, await plannedWindow(visit));
      return maintenanceView(window, news.stateOf(window));
    }),
    admin("POST", "/admin/maintenance/:id/end", async ({ id }, me) => {
      const window = await news.end(actorOf(me), id);
      return maintenanceView(window, news.stateOf(window));
    }),
  ];
}

async function plannedWindow(visit: Visit): Promise<NewWindow> {
  const { startsAt, endsAt, ...text } = await visit.body(maintenanceBody);
  return { ...text, startsAt: new Date(startsAt), endsAt: new Date(endsAt) };
}
