/** Keys of accounts and teams, for admins, and an admin's own keys for the operator's API. */
import type { ApiKey } from "../../../core/entities.js";
import { accountKeyBody, accountKeysQuery, type AccountKey } from "../../../protocol/dashboard/accounts.js";
import { operatorKeyBody, type KeyWithSecret } from "../../../protocol/dashboard/api.js";
import { keyRequest } from "../keys.js";
import type { DashboardParts } from "../parts.js";
import { admin, confirmed, type DashboardRoute } from "../route.js";
import { keyView } from "../views.js";

export function adminKeyRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { accountAdmin, ownKeys, clock } = dashboard;
  const view = (key: ApiKey): AccountKey => ({ ...keyView(key, clock.now()), accountId: key.accountId });
  return [
    admin("GET", "/admin/keys", async (visit, actor) => {
      const { account, after = null } = visit.query(accountKeysQuery);
      const { keys, next } = await ownKeys.list(await accountAdmin.requireHolder(actor, account), after);
      return { keys: keys.map(view), next };
    }),
    admin("POST", "/admin/keys", confirmed, async (visit, actor) => {
      const { account, models, ...fields } = await visit.body(accountKeyBody);
      const holder = await accountAdmin.requireHolder(actor, account);
      const { key, text } = await ownKeys.create(holder, { models, ...keyRequest(clock, fields) });
      return { key: view(key), secret: text };
    }),
    admin("GET", "/admin/keys/:id", async ({ id }) => view(await accountAdmin.requireKey(id))),
    admin("POST", "/admin/keys/:id/revoke", async ({ id }, actor) =>
      keyView(await accountAdmin.revokeKey(actor, id), clock.now()),
    ),
    admin("POST", "/admin/keys/:id/restore", async ({ id }, actor) =>
      keyView(await accountAdmin.restoreKey(actor, id), clock.now()),
    ),
    admin(
      "POST",
      "/admin/operator-keys",
      { confirm: true, sessionOnly: "A key that leaked must not create others, which would outlive it." },
      async (visit, actor): Promise<KeyWithSecret> => {
        const { scopes, ...fields } = await visit.body(operatorKeyBody);
        const holder = await accountAdmin.requireHolder(actor, actor.accountId);
        const request = { models: null, scopes, ...keyRequest(clock, fields) };
        const { key, text } = await ownKeys.create(holder, request);
        return { key: keyView(key, clock.now()), secret: text };
      },
    ),
  ];
}
