/** Every route of the dashboard's API. Each says who may use it; that is checked here. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DashboardError } from "../../core/dashboard-error.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type { Sessions } from "../../core/sign-in/sessions.js";
import { accountRoutes } from "./accounts.js";
import { accountPageRoutes } from "./admin/account-page.js";
import { inviteRoutes } from "./admin/invites.js";
import { auditRoutes } from "./audit.js";
import { engineRoutes } from "./engines.js";
import { keyRoutes } from "./keys.js";
import { meRoutes } from "./me.js";
import { modelFactsRoutes } from "./model-facts.js";
import { modelRoutes } from "./models.js";
import { newsRoutes } from "./news.js";
import { adminHomeRoutes } from "./admin/home.js";
import { adminTeamRoutes } from "./admin/teams.js";
import { serviceUsageRoutes } from "./admin/service-usage.js";
import type { DashboardParts } from "./parts.js";
import { planRoutes } from "./plans.js";
import { playgroundRoutes } from "./playground.js";
import type { DashboardRoute } from "./route.js";
import { signInRoutes } from "./sign-in.js";
import { siteRoutes } from "./site.js";
import { teamRoutes } from "./teams.js";
import { usageRoutes } from "./usage.js";
import { Visit } from "./guard/visit.js";

export const dashboardRoutes = (parts: DashboardParts): DashboardRoute[] => [
  ...siteRoutes(parts),
  ...signInRoutes(parts),
  ...meRoutes(parts),
  ...keyRoutes(parts),
  ...usageRoutes(parts),
  ...playgroundRoutes(parts),
  ...accountRoutes(parts),
  ...accountPageRoutes(parts),
  ...inviteRoutes(parts),
  ...planRoutes(parts),
  ...engineRoutes(parts),
  ...modelFactsRoutes(parts),
  ...modelRoutes(parts),
  ...newsRoutes(parts),
  ...auditRoutes(parts),
  ...adminHomeRoutes(parts),
  ...serviceUsageRoutes(parts),
  ...teamRoutes(parts),
  ...adminTeamRoutes(parts),
];

/** The handler for Fastify. The caller is identified before any of the body is read. */
export function serve(route: DashboardRoute, sessions: Sessions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const answer = await handle(route, new Visit(request, reply, sessions), sessions);
    return answer ?? {};
  };
}

async function handle(route: DashboardRoute, visit: Visit, sessions: Sessions): Promise<unknown> {
  if (route.access === "anyone") return route.handle(visit);
  const me = await requireSession(visit, sessions);
  if (route.access === "user") return route.handle(visit, me);
  if (me.account.role !== "admin") throw new DashboardError("forbidden", "Only an admin may do this.");
  return route.handle(visit, { accountId: me.account.id });
}

async function requireSession(visit: Visit, sessions: Sessions): Promise<SessionRecord> {
  const token = visit.sessionToken;
  const me = token === null ? null : await sessions.find(token);
  if (me === null) throw new DashboardError("signed_out", "You are signed out. Sign in to continue.");
  return me;
}
