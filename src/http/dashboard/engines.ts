/** The engines, which models each of them serves and how it does, for admins. */
import { liveView } from "./live-view.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";

export const engineRoutes = (parts: DashboardParts): DashboardRoute[] => [
  admin("GET", "/admin/engines", async () => ({ engines: (await liveView(parts)).engines })),
];
