/** Every route of the dashboard's API. Each says who may use it, and whether to ask them again; that is checked here. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DashboardError } from "../../core/dashboard-error.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import { accountRoutes, inviteRoutes } from "./accounts.js";
import { auditRoutes } from "./audit.js";
import { factorRoutes } from "./factors.js";
import { keyRoutes } from "./keys.js";
import { meRoutes } from "./me.js";
import { modelRoutes } from "./models.js";
import { newsRoutes } from "./news.js";
import { adminHomeRoutes } from "./admin/home.js";
import { webhookRoutes } from "./admin/webhooks.js";
import { adminKeyRoutes } from "./admin/keys.js";
import { adminTeamRoutes } from "./admin/teams.js";
import type { DashboardParts } from "./parts.js";
import { planRoutes } from "./plans.js";
import { playgroundRoutes } from "./playground.js";
import type { DashboardRoute } from "./route.js";
import type { DashboardServices } from "./services.js";
import { signInRoutes } from "./sign-in.js";
import { singleSignOnRoutes } from "./single-sign-on/api.js";
import { siteRoutes } from "./site.js";
import { teamRoutes } from "./teams.js";
import { serviceUsageRoutes, usageRoutes } from "./usage.js";
import { signedOut, Visit } from "./guard/visit.js";

export const dashboardRoutes = (parts: DashboardParts): DashboardRoute[] => [
  ...siteRoutes(parts),
  ...signInRoutes(parts),
  ...meRoutes(parts),
  ...keyRoutes(parts),
  ...usageRoutes(parts),
  ...playgroundRoutes(parts),
  ...accountRoutes(parts),
  ...adminKeyRoutes(parts),
  ...inviteRoutes(parts),
  ...planRoutes(parts),
  ...modelRoutes(parts),
  ...newsRoutes(parts),
  ...auditRoutes(parts),
  ...adminHomeRoutes(parts),
  ...serviceUsageRoutes(parts),
  ...factorRoutes(parts),
  ...singleSignOnRoutes(parts),
  ...webhookRoutes(parts),
  ...teamRoutes(parts),
  ...adminTeamRoutes(parts),
];

/** What a caller is judged by. */
type Guard = Pick<DashboardServices, "sessions" | "factorRequirement" | "teams" | "clock">;

/** The handler for Fastify. The caller is identified before any of the body is read. */
export function serve(route: DashboardRoute, guard: Guard) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const answer = await handle(route, new Visit(request, reply, guard.sessions), guard);
    return answer ?? {};
  };
}

async function handle(route: DashboardRoute, visit: Visit, guard: Guard): Promise<unknown> {
  if (route.access === "anyone") return route.handle(visit);
  const me = (await visit.whoIsHere()) ?? signedOut();
  if (route.beforeEnrolment !== true) await requireFactor(me, guard);
  if (route.path.startsWith("/teams/:team") && route.fromAnywhere !== true)
    await guard.teams.requireNetwork(me.account, visit.team, visit.request.ip);
  if (route.access === "admin" && me.account.role !== "admin") {
    throw new DashboardError("forbidden", "Only an admin may do this.");
  }
  if (route.confirm === true) visit.requireConfirmed(me);
  return route.access === "user"
    ? route.handle(visit, me)
    : route.handle(visit, { accountId: me.account.id });
}

async function requireFactor(me: SessionRecord, { factorRequirement, clock }: Guard): Promise<void> {
  const missing = await factorRequirement.missing(me);
  if (missing === null || missing.by > clock.now()) return;
  throw new DashboardError("factor_required", "Add a second factor to continue.");
}
