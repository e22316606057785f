/** The last 90 days of the public status page. */
import { historyMs } from "../../../core/admin/availability.js";
import type { StatusHistory } from "../../../protocol/dashboard-operator.js";
import type { DashboardParts } from "../parts.js";
import { anyone, type DashboardRoute } from "../route.js";
import { maintenanceView } from "../views.js";

export function statusHistoryRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { availability, news, clock } = dashboard;
  return [
    anyone("GET", "/status/history", async (): Promise<StatusHistory> => {
      const since = new Date(clock.now().getTime() - historyMs);
      const [counted, past] = await Promise.all([availability.read(), news.listPastWindows(since)]);
      return { ...counted, maintenance: past.map((window) => maintenanceView(window, "over")) };
    }),
  ];
}
