/**
 * The addresses that browsers are sent through when they sign in with an identity provider. They answer with redirects
 * only: to the provider, to a page of ours, or to the sign-in page with the name of what went wrong.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { SignInFailed, type SignInProblem } from "../../../core/single-sign-on/problems.js";
import { callbackPath } from "../../../core/single-sign-on/provider.js";
import { StoreUnavailable } from "../../../core/store.js";
import { localPath } from "../../../protocol/pages/local-path.js";
import { pathParam, queryOf, queryText } from "../../connection/paths.js";
import { Visit } from "../guard/visit.js";
import type { DashboardParts } from "../parts.js";
import { startSession } from "../sign-in.js";

const startPath = "/sign-in/oidc/:provider";
const joinPage = "/sign-in/join";

export function redirectRoutes({ http, dashboard }: DashboardParts): RouteOptions[] {
  const { sessions, singleSignOn } = dashboard;

  /** Answers with a redirect, whatever happens. */
  const redirecting =
    (work: (visit: Visit, provider: string, query: URLSearchParams) => Promise<string>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const visit = new Visit(request, reply, sessions);
      const query = queryOf(request);
      const target = await work(visit, pathParam(request, "provider"), query).catch((error: unknown) => {
        const problem = problemOf(error);
        if (problem === null && !(error instanceof StoreUnavailable))
          http.log.unexpected(error, { requestId: request.id });
        const cause = (problem ?? "unavailable").toUpperCase();
        http.log.warn("sign-in with an identity provider failed", { requestId: request.id, cause });
        const page = error instanceof SignInFailed ? error.page : null;
        return `${page ?? problemPage(visit)}?problem=${problem ?? "unavailable"}`;
      });
      return reply.code(303).headers({ location: target, "cache-control": "no-store" }).send();
    };

  const start = redirecting(async (visit, provider, query) => {
    const round = query.has("confirm")
      ? await singleSignOn.startConfirm(provider, visit.network, await visit.whoIsHere())
      : await singleSignOn.start(provider, visit.network, localPath(query.get("next")));
    visit.round.set(round.token, round.expiresAt);
    return round.url;
  });

  const finish = redirecting(async (visit, provider) => {
    const me = await visit.whoIsHere();
    const finished = await singleSignOn.finish(provider, visit.round.value, queryText(visit.request), me);
    if (finished.type === "join") {
      visit.round.set(finished.token, finished.expiresAt);
      return joinPage;
    }
    visit.round.clear();
    if (finished.type === "entered")
      await startSession(dashboard, visit, finished.account, "oidc", finished.origin);
    if (finished.type === "confirmed" && me !== null) await sessions.noteConfirmed(me.session);
    return finished.next;
  });

  // A HEAD request would use up the round.
  const route = { method: "GET", exposeHeadRoute: false } as const;
  return [
    { ...route, url: startPath, handler: start },
    { ...route, url: callbackPath(":provider"), handler: finish },
  ];
}

/** Whoever is signed in was linking a provider. */
const problemPage = ({ session }: Visit): string => (session.value === null ? "/sign-in" : "/app/account");

const problemOf = (error: unknown): SignInProblem | null =>
  error instanceof SignInFailed ? error.problem : null;
