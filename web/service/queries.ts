/**
 * The queries of the pages, with their cache keys and refresh intervals. After a change, invalidate by key:
 * `client.invalidateQueries({ queryKey: queries.keys.queryKey })`.
 */
import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { StoredAboutMe } from "../../src/core/accounts/stored-views.js";
import type { Draft } from "../../src/core/admin/drafts.js";
import type { ModelChoicesView, ModelsNow } from "../../src/core/model-views.js";
import type { ModelId } from "../../src/core/models.js";
import type { MonthView } from "../../src/core/limits/month-use.js";
import type { KeptOfAccount } from "../../src/core/serving/kept-memory.js";
import type { UsageReport } from "../../src/core/usage/usage-views.js";
import type * as dashboard from "../../src/protocol/dashboard/api.js";
import type { PlanView } from "../../src/protocol/dashboard/api.js";
import type { EngineView, ModelSuggestion } from "../../src/protocol/dashboard/engines.js";
import type {
  ConnectionTestView,
  KeyPageView,
  keysQuery,
  KeyUsageView,
} from "../../src/protocol/dashboard/keys.js";
import type { IdentitiesView, PendingJoin } from "../../src/protocol/identity-provider.js";
import { below, get, read, withQuery } from "./api.ts";

export type KeysQuery = Partial<z.output<typeof keysQuery>>;

const dayMs = 24 * 60 * 60_000;

const site = queryOptions({
  queryKey: ["site"],
  queryFn: () => get<dashboard.Site>("/api/site"),
  staleTime: 30_000,
  // Role and plan may be changed by others while someone is signed in.
  refetchInterval: ({ state }) => (state.data?.me == null ? 60_000 : 10_000),
});

export const queries = {
  site,
  status: read<dashboard.Status>(["status"], "/api/status", { refetchInterval: 15_000 }),
  models: read<{ models: dashboard.ModelFacts[] }>(["models"], "/api/models", { staleTime: 30_000 }),
  changelog: read<dashboard.Changelog>(["changelog"], "/api/changelog"),
  stored: read<StoredAboutMe>(["stored"], "/api/me/stored"),
  pendingJoin: read<PendingJoin>(["pending-join"], "/api/sign-in/join", { gcTime: 0 }),
  identities: read<IdentitiesView>(["identities"], "/api/me/identities"),
  emailChange: read<dashboard.EmailChangeView>(["email-change"], "/api/me/email"),
  memory: read<KeptOfAccount>(["memory"], "/api/me/memory", { refetchInterval: 5_000 }),
  keys: queryOptions({ queryKey: ["keys"], queryFn: () => allKeys(null) }),
  teamKeys: (team: string) =>
    queryOptions({ queryKey: ["keys", "team", team], queryFn: () => allKeys(team) }),
  /** Below the key of all keys, so that invalidating those invalidates this too. */
  keyPage: (query: KeysQuery, team: string | null) =>
    read<KeyPageView>(["keys", "page", query, team], withQuery(`${below(team)}/keys/page`, query)),
  keyUsage: (team: string | null) =>
    read<KeyUsageView>(["keys", "usage", team], `${below(team)}/keys/usage`, { staleTime: 10_000 }),
  /** While someone waits for a client's first request. */
  connectionTest: read<ConnectionTestView>(["connection-test"], "/api/connection-test", {
    refetchInterval: 1_000,
    gcTime: 0,
  }),
  month: (team: string | null) =>
    read<MonthView>(["usage", "month", team], `${below(team)}/usage/month`, { refetchInterval: 60_000 }),
  limits: queryOptions({
    queryKey: ["limits"],
    queryFn: async ({ client }) => {
      const limits = await get<dashboard.LimitsNow>("/api/limits");
      takePlan(client, limits.plan);
      return limits;
    },
    refetchInterval: 2_000,
  }),
  teamLimits: (team: string) =>
    read<dashboard.LimitsNow>(["limits", team], `${below(team)}/limits`, { refetchInterval: 2_000 }),
  /** People watch the last day while they try their first request; longer periods are more expensive to query. */
  usage: (query: z.input<typeof dashboard.usageQuery>, team: string | null = null) =>
    read<UsageReport>(["usage", query, team], withQuery(`${below(team)}/usage`, query), {
      staleTime: 1_000,
      refetchInterval: Date.parse(query.to) - Date.parse(query.from) <= dayMs ? 1_000 : 15_000,
    }),
  admin: {
    plans: read<{ plans: (PlanView & { accounts: number })[] }>(["admin", "plans"], "/api/admin/plans"),
    planMonths: read<dashboard.PlanMonths>(["admin", "plans", "month"], "/api/admin/plans/month", {
      staleTime: 60_000,
    }),
    suggestion: read<{ suggestion: ModelSuggestion | null }>(
      ["admin", "suggestion"],
      "/api/admin/model-suggestion",
      { staleTime: 30_000 },
    ),
    engines: read<{ engines: EngineView[] }>(["admin", "engines"], "/api/admin/engines", {
      refetchInterval: 3_000,
    }),
    models: queryOptions({
      queryKey: ["admin", "models"],
      queryFn: () => get<ModelsNow>("/api/admin/models"),
      refetchInterval: ({ state }) => (isMoving(state.data) ? 1_000 : 5_000),
    }),
    modelChoices: (model: ModelId) =>
      read<ModelChoicesView>(
        ["admin", "model-choices", model],
        withQuery("/api/admin/models/choices", { model }),
      ),
    drafts: read<{ drafts: Draft[] }>(["admin", "drafts"], "/api/admin/changelog/drafts"),
  },
};

/** All of them, page by page: one's own, or those of a team. */
async function allKeys(team: string | null) {
  const keys: dashboard.KeyView[] = [];
  let after: string | undefined;
  do {
    const page = await get<dashboard.KeyList>(withQuery(`${below(team)}/keys`, { after }));
    keys.push(...page.keys);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { keys };
}

/** Something is in progress and is polled more often. */
function isMoving(now: ModelsNow | undefined): boolean {
  if (now === undefined) return false;
  const isPulling = now.pulls.some(({ state }) => ["waiting", "running", "checking"].includes(state));
  return isPulling || now.models.some(({ change }) => change?.state === "switching");
}

/** The signed-in account and the service's settings; every page needs them. */
export function useSite() {
  return useQuery(queries.site);
}

/**
 * The newest response about the plan applies to every part of the page. Set only when it changed: setting restarts
 * polls.
 */
function takePlan(client: QueryClient, plan: PlanView): void {
  const known = client.getQueryData(site.queryKey);
  if (known?.me == null || JSON.stringify(known.me.plan) === JSON.stringify(plan)) return;
  client.setQueryData(site.queryKey, { ...known, me: { ...known.me, plan } });
}
