/**
 * The playground's chat: the API's own handler, for the account of a session instead of a key, or for a team that it is
 * in. It counts against the same limits, and nothing of it is kept either.
 */
import { type ActedFor, playgroundCaller } from "../../core/serving/playground.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import { countRequest } from "../api/auth.js";
import { complete } from "../api/complete.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";

export function playgroundRoutes({ http, dashboard: { sessions, teams } }: DashboardParts): DashboardRoute[] {
  const count = countRequest(http, () => true);
  const chat = complete(http, "chatCompletions");
  const serve = async ({ request, reply }: Visit, me: SessionRecord, actedFor: ActedFor | null) => {
    request.exchange.caller = playgroundCaller(me, sessions.endOf(me), actedFor);
    await count(request, reply);
    return chat(request, reply);
  };
  return [
    user("POST", "/playground", (visit, me) => serve(visit, me, null)),
    user("POST", "/teams/:team/playground", async (visit, me) =>
      serve(visit, me, await teams.requireActedFor(me.account, visit.team)),
    ),
  ];
}
