/** The last 90 days of the public status page. */
import { pastWindows } from "../../../core/operator/news.js";
import type { StatusHistory } from "../../../protocol/dashboard-operator.js";
import type { DashboardParts } from "../parts.js";
import { anyone, type DashboardRoute } from "../route.js";
import { maintenanceView } from "../views.js";

export function statusHistoryRoutes({ dashboard: { availability, news } }: DashboardParts): DashboardRoute[] {
  return [
    anyone("GET", "/status/history", async (): Promise<StatusHistory> => {
      const [counted, windows] = await Promise.all([availability.read(), news.listWindows()]);
      const past = pastWindows(windows, (window) => news.stateOf(window));
      return { ...counted, maintenance: past.map((window) => maintenanceView(window, "over")) };
    }),
  ];
}
