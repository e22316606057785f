/**
 * The operator's API: under /api/v1, every route that the dashboard has for admins, with the same handlers, for programs
 * with a key instead of a browser with a session. `/admin/plans/:id` there is `/plans/:id` here. A route that only makes
 * sense on a page, or that a key must not be enough for, says so in the table (`sessionOnly`).
 *
 * Cookies are ignored, so no other site can make a browser act here, and no CSRF protection is needed.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { packageFile } from "../../adapters/program-files.js";
import type { Person } from "../../core/audit.js";
import { DashboardError } from "../../core/dashboard-error.js";
import type { KeyScope } from "../../core/key-scopes.js";
import { hasScope } from "../../core/serving/permission.js";
import { authenticateAndCount } from "../api/auth.js";
import { openApi } from "../api/openapi.js";
import { callerOf } from "../connection/caller.js";
import { Visit } from "../dashboard/guard/visit.js";
import type { DashboardParts } from "../dashboard/parts.js";
import type { DashboardRoute } from "../dashboard/route.js";
import { dashboardRoutes } from "../dashboard/routes.js";
import type { HttpParts } from "../parts.js";
import { answerOperatorError } from "./errors.js";

type OperatorRoute = Extract<DashboardRoute, { access: "admin" }>;

export function registerOperatorApi(server: FastifyInstance, parts: DashboardParts): void {
  void server.register(
    async (api) => {
      api.setErrorHandler(answerOperatorError(parts.http.log));
      api.get("/openapi.json", openApi(packageFile("docs/openapi-operator.yaml")));
      await api.register(async (guarded) => {
        guarded.setNotFoundHandler(() => {
          throw new DashboardError("not_found", "There is no such address. See /api/v1/openapi.json.");
        });
        for (const hook of scopedHooks(parts.http, neededScope)) guarded.addHook("onRequest", hook);
        for (const route of operatorRoutes(parts)) {
          const { method, path: url } = route;
          guarded.route({ method, url, handler: serve(route, parts), exposeHeadRoute: false });
        }
      });
    },
    { prefix: "/api/v1" },
  );
}

/** With their paths below /api/v1. */
export const operatorRoutes = (parts: DashboardParts): OperatorRoute[] =>
  dashboardRoutes(parts).flatMap((route) =>
    route.access === "admin" && route.sessionOnly === undefined
      ? [{ ...route, path: route.path.replace(/^\/admin/, "") }]
      : [],
  );

/** For routes that need a key with a scope. It is counted like any key, refused or not. */
export const scopedHooks = (
  http: HttpParts,
  scopeOf: (request: FastifyRequest) => KeyScope,
): onRequestAsyncHookHandler[] => [
  async (_request, reply) => {
    reply.header("cache-control", "no-store");
  },
  authenticateAndCount(http),
  async (request) => {
    const scope = scopeOf(request);
    if (hasScope(callerOf(request), scope)) return;
    throw new DashboardError("forbidden", `This needs a key of an admin with the scope ${scope}.`);
  },
];

/** What is done is recorded under the name of the key's owner, and of the key. */
export function actorOf(request: FastifyRequest): Person {
  const { account, key } = callerOf(request);
  return { accountId: account.id, keyId: key.id };
}

const neededScope = ({ method }: FastifyRequest): KeyScope =>
  method === "GET" || method === "HEAD" ? "admin:read" : "admin:write";

function serve(route: OperatorRoute, { dashboard: { sessions } }: DashboardParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    return (await route.handle(new Visit(request, reply, sessions), actorOf(request))) ?? {};
  };
}
