/** API keys: one's own, and those of a team. */
import type { Clock } from "../../core/clock.js";
import type { IssuedKey, KeyRequest } from "../../core/keys/issue-keys.js";
import type { KeyHolder } from "../../core/keys/own-keys.js";
import { noKeyLimits } from "../../core/entities.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import {
  createKeyBody,
  keyListQuery,
  rotateKeyBody,
  type KeyList,
  type KeyWithSecret,
  type NewKeyFields,
} from "../../protocol/dashboard/api.js";
import {
  editKeyBody,
  keysQuery,
  type ConnectionTestView,
  type KeyPageView,
  type KeyUsageView,
} from "../../protocol/dashboard/keys.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";
import { spacesOf } from "./space.js";
import { keyView, listedKeyView } from "./views.js";

const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;
/** Shown beside each key. */
const usageDays = 7;

export function keyRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { ownKeys, connectionTests, usageReports, teams, clock } = dashboard;
  const withSecret = ({ key, text }: IssuedKey): KeyWithSecret => ({
    key: keyView(key, clock.now()),
    secret: text,
  });
  const testNow = (accountId: string): ConnectionTestView =>
    connectionTests.read(accountId) ?? { leftMs: null, requests: [] };
  /** A key with scopes does more than its owner's session may without being asked again. */
  const requireAsked = async (holder: KeyHolder, visit: Visit, me: SessionRecord): Promise<void> => {
    const { scopes } = await ownKeys.require(holder, visit.id);
    if (scopes.length > 0) visit.requireConfirmed(me);
  };
  const usageOf = async (accountId: string): Promise<KeyUsageView> => {
    const now = clock.now().getTime();
    const from = new Date(now - usageDays * dayMs);
    // The hour that has just begun too.
    const to = new Date(now + hourMs);
    const keys = await usageReports.byKey(accountId, { from, to, step: "hour" });
    return {
      from: from.toISOString(),
      keys: keys.map(({ keyId, requests, tokens }) => ({ keyId, requests, tokens })),
    };
  };
  const spaces = spacesOf(teams).flatMap(({ prefix, open }) => [
    user("GET", `${prefix}/keys`, async (visit, me): Promise<KeyList> => {
      const { after = null } = visit.query(keyListQuery);
      const { holder } = await open(visit, me, "own_keys");
      const { keys, next } = await ownKeys.list(holder, after);
      return { keys: keys.map((key) => keyView(key, clock.now())), next };
    }),
    user("GET", `${prefix}/keys/page`, async (visit, me): Promise<KeyPageView> => {
      const { holder } = await open(visit, me, "own_keys");
      const page = await ownKeys.page(holder, visit.query(keysQuery));
      return { ...page, keys: page.keys.map((listed) => listedKeyView(listed, clock.now())) };
    }),
    user("GET", `${prefix}/keys/usage`, async (visit, me): Promise<KeyUsageView> => {
      const { holder } = await open(visit, me, "own_keys");
      const usage = await usageOf(holder.account.id);
      if (holder.memberId === null) return usage;
      const own = new Set(await ownKeys.ids(holder));
      return { ...usage, keys: usage.keys.filter(({ keyId }) => own.has(keyId)) };
    }),
    user("PUT", `${prefix}/keys/:id`, async (visit, me) => {
      const { holder } = await open(visit, me, "own_keys");
      await requireAsked(holder, visit, me);
      const { limits, expiresInDays, allowFrom, ...change } = await visit.body(editKeyBody);
      const key = await ownKeys.edit(holder, visit.id, {
        ...change,
        limits: limits ?? noKeyLimits,
        ...(expiresInDays === undefined ? {} : { expiresAt: keyExpiry(clock, expiresInDays) }),
        ...(allowFrom === undefined ? {} : { allowFrom }),
      });
      return keyView(key, clock.now());
    }),
    user("POST", `${prefix}/keys`, async (visit, me) => {
      const space = await open(visit, me, "own_keys");
      const { models, isService, ...fields } = await visit.body(createKeyBody);
      if (isService) await open(visit, me, "all_keys");
      const request = { models, ...keyRequest(clock, fields) };
      const memberId = space.team === null || isService ? null : me.account.id;
      return withSecret(await ownKeys.create(space.holder, request, memberId));
    }),
    user("POST", `${prefix}/keys/:id/rotate`, async (visit, me) => {
      const { holder } = await open(visit, me, "own_keys");
      await requireAsked(holder, visit, me);
      const { graceHours } = await visit.body(rotateKeyBody);
      return withSecret(await ownKeys.rotate(holder, visit.id, graceHours * hourMs));
    }),
    ...(["disable", "enable", "revoke"] as const).map((action) =>
      user("POST", `${prefix}/keys/:id/${action}`, async (visit, me) => {
        const { holder } = await open(visit, me, "own_keys");
        if (action === "enable") await requireAsked(holder, visit, me);
        return keyView(await ownKeys[action](holder, visit.id), clock.now());
      }),
    ),
  ]);
  return [
    user("GET", "/connection-test", async (_visit, { account }) => testNow(account.id)),
    user("POST", "/connection-test", async (visit, { account }) => {
      connectionTests.begin(account.id, visit.network);
      return testNow(account.id);
    }),
    ...spaces,
  ];
}

/** A new key of any kind, but for what it may do. */
export const keyRequest = (
  clock: Clock,
  { name, expiresInDays, limits, tags, allowFrom }: NewKeyFields,
): Omit<KeyRequest, "models" | "scopes"> => ({
  ...{ name, operations: null, limits: limits ?? noKeyLimits, tags: tags ?? [] },
  expiresAt: keyExpiry(clock, expiresInDays),
  allowFrom: allowFrom ?? null,
});

/** Null for never. */
const keyExpiry = (clock: Clock, days: number | null): Date | null =>
  days === null ? null : new Date(clock.now().getTime() + days * dayMs);
