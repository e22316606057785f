/** One's own API keys. */
import type { IssuedKey } from "../../core/keys/issue-keys.js";
import { noKeyLimits } from "../../core/entities.js";
import {
  createKeyBody,
  keyListQuery,
  rotateKeyBody,
  type KeyList,
  type KeyWithSecret,
} from "../../protocol/dashboard/api.js";
import {
  editKeyBody,
  keysQuery,
  type ConnectionTestView,
  type KeyPageView,
  type KeyUsageView,
} from "../../protocol/dashboard/keys.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";
import { keyView, listedKeyView } from "./views.js";

const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;
/** Shown beside each key. */
const usageDays = 7;

export function keyRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { ownKeys, connectionTests, usageReports, clock } = dashboard;
  const withSecret = ({ key, text }: IssuedKey): KeyWithSecret => ({
    key: keyView(key, clock.now()),
    secret: text,
  });
  const testNow = (accountId: string): ConnectionTestView =>
    connectionTests.read(accountId) ?? { leftMs: null, requests: [] };
  const expiryOf = (days: number | null): Date | null =>
    days === null ? null : new Date(clock.now().getTime() + days * dayMs);
  return [
    user("GET", "/connection-test", async (_visit, { account }) => testNow(account.id)),
    user("POST", "/connection-test", async (visit, { account }) => {
      connectionTests.begin(account.id, visit.network);
      return testNow(account.id);
    }),
    user("GET", "/keys", async (visit, { account }): Promise<KeyList> => {
      const { after = null } = visit.query(keyListQuery);
      const { keys, next } = await ownKeys.list(account, after);
      return { keys: keys.map((key) => keyView(key, clock.now())), next };
    }),
    user("GET", "/keys/page", async (visit, { account }): Promise<KeyPageView> => {
      const page = await ownKeys.page(account, visit.query(keysQuery));
      return { ...page, keys: page.keys.map((listed) => listedKeyView(listed, clock.now())) };
    }),
    user("GET", "/keys/usage", async (_visit, { account }): Promise<KeyUsageView> => {
      const now = clock.now().getTime();
      const from = new Date(now - usageDays * dayMs);
      // The hour that has just begun too.
      const to = new Date(now + hourMs);
      return { from: from.toISOString(), keys: await usageReports.byKey(account.id, from, to) };
    }),
    user("PUT", "/keys/:id", async (visit, { account }) => {
      const { limits, expiresInDays, allowFrom, ...change } = await visit.body(editKeyBody);
      const key = await ownKeys.edit(account, visit.id, {
        ...change,
        limits: limits ?? noKeyLimits,
        ...(expiresInDays === undefined ? {} : { expiresAt: expiryOf(expiresInDays) }),
        ...(allowFrom === undefined ? {} : { allowFrom }),
      });
      return keyView(key, clock.now());
    }),
    user("POST", "/keys", async (visit, { account }) => {
      const { name, models, expiresInDays, limits, tags, allowFrom } = await visit.body(createKeyBody);
      const request = {
        ...{ name, models, operations: null, limits: limits ?? noKeyLimits },
        expiresAt: expiryOf(expiresInDays),
        tags: tags ?? [],
        allowFrom: allowFrom ?? null,
      };
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
