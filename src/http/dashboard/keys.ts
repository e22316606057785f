/** One's own API keys. */
import type { IssuedKey } from "../../core/keys/issue-keys.js";
import { noKeyLimits } from "../../core/ports.js";
import { createKeyBody, rotateKeyBody, type KeyWithSecret } from "../../protocol/dashboard-api.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";
import { keyView } from "./views.js";

const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;

export function keyRoutes({ dashboard: { ownKeys, clock } }: DashboardParts): DashboardRoute[] {
  const withSecret = ({ key, text }: IssuedKey): KeyWithSecret => ({
    key: keyView(key, clock.now()),
    secret: text,
  });
  return [
    user("GET", "/keys", async (_visit, { account }) => {
      const keys = await ownKeys.list(account);
      return { keys: keys.map((key) => keyView(key, clock.now())) };
    }),
    user("POST", "/keys", async (visit, { account }) => {
      const { name, models, expiresInDays, limits } = await visit.body(createKeyBody);
      const expiresAt =
        expiresInDays === null ? null : new Date(clock.now().getTime() + expiresInDays * dayMs);
      const request = { name, models, operations: null, limits: limits ?? noKeyLimits, expiresAt };
      return withSecret(await ownKeys.create(account, request));
    }),
    user("POST", "/keys/:id/rotate", async (visit, { account }) => {
      const { graceHours } = await visit.body(rotateKeyBody);
      return withSecret(await ownKeys.rotate(account, visit.id, graceHours * hourMs));
    }),
    user("POST", "/keys/:id/disable", async ({ id }, { account }) =>
      keyView(await ownKeys.disable(account, id), clock.now()),
    ),
    user("POST", "/keys/:id/enable", async ({ id }, { account }) =>
      keyView(await ownKeys.enable(account, id), clock.now()),
    ),
    user("POST", "/keys/:id/revoke", async ({ id }, { account }) =>
      keyView(await ownKeys.revoke(account, id), clock.now()),
    ),
  ];
}
