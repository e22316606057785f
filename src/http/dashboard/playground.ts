/**
 * The playground's chat: the API's own handler, for the account of a session instead of a key. It counts
 * against the same limits, and nothing of it is kept either.
 */
import { playgroundCaller } from "../../core/serving/playground.js";
import { countRequest } from "../api/auth.js";
import { complete } from "../api/complete.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";

export function playgroundRoutes({ http, dashboard: { sessions } }: DashboardParts): DashboardRoute[] {
  const count = countRequest(http, () => true);
  const chat = complete(http, "chatCompletions");
  return [
    user("POST", "/playground", async ({ request, reply }, me) => {
      request.exchange.caller = playgroundCaller(me, sessions.endOf(me));
      await count(request, reply);
      return chat(request, reply);
    }),
  ];
}
