/**
 * The queries of the pages, with their cache keys and refresh intervals. After a change, invalidate by key:
 * `client.invalidateQueries({ queryKey: queries.keys.queryKey })`.
 */
import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import type { ModelsNow } from "../../src/core/model-views.js";
import type { ModelId } from "../../src/core/models.js";
import type { PlanView } from "../../src/protocol/dashboard/api.js";
import { api, type KeysQuery } from "./api.ts";

type UsageQuery = Parameters<typeof api.usage>[0];

const dayMs = 24 * 60 * 60_000;

const site = queryOptions({
  queryKey: ["site"],
  queryFn: api.site,
  staleTime: 30_000,
  // Role and plan may be changed by others while someone is signed in.
  refetchInterval: ({ state }) => (state.data?.me == null ? 60_000 : 10_000),
});

export const queries = {
  site,
  status: queryOptions({ queryKey: ["status"], queryFn: api.status, refetchInterval: 15_000 }),
  models: queryOptions({ queryKey: ["models"], queryFn: api.models, staleTime: 30_000 }),
  changelog: queryOptions({ queryKey: ["changelog"], queryFn: api.changelog }),
  stored: queryOptions({ queryKey: ["stored"], queryFn: api.stored }),
  pendingJoin: queryOptions({ queryKey: ["pending-join"], queryFn: api.pendingJoin, gcTime: 0 }),
  identities: queryOptions({ queryKey: ["identities"], queryFn: api.identities }),
  emailChange: queryOptions({ queryKey: ["email-change"], queryFn: api.emailChange }),
  memory: queryOptions({ queryKey: ["memory"], queryFn: api.memory, refetchInterval: 5_000 }),
  keys: queryOptions({ queryKey: ["keys"], queryFn: () => api.keys() }),
  teamKeys: (team: string) =>
    queryOptions({ queryKey: ["keys", "team", team], queryFn: () => api.keys(team) }),
  /** Below the key of all keys, so that invalidating those invalidates this too. */
  keyPage: (query: KeysQuery, team: string | null) =>
    queryOptions({ queryKey: ["keys", "page", query, team], queryFn: () => api.keyPage(query, team) }),
  keyUsage: (team: string | null) =>
    queryOptions({
      queryKey: ["keys", "usage", team],
      queryFn: () => api.keyUsage(team),
      staleTime: 10_000,
    }),
  /** While someone waits for a client's first request. */
  connectionTest: queryOptions({
    queryKey: ["connection-test"],
    queryFn: api.connectionTest,
    refetchInterval: 1_000,
    gcTime: 0,
  }),
  month: (team: string | null) =>
    queryOptions({
      queryKey: ["usage", "month", team],
      queryFn: () => api.month(team),
      refetchInterval: 60_000,
    }),
  limits: queryOptions({
    queryKey: ["limits"],
    queryFn: async ({ client }) => {
      const limits = await api.limits();
      takePlan(client, limits.plan);
      return limits;
    },
    refetchInterval: 2_000,
  }),
  teamLimits: (team: string) =>
    queryOptions({
      queryKey: ["limits", team],
      queryFn: () => api.limits(team),
      refetchInterval: 2_000,
    }),
  /** People watch the last day while they try their first request; longer periods are more expensive to query. */
  usage: (query: UsageQuery, team: string | null = null) =>
    queryOptions({
      queryKey: ["usage", query, team],
      queryFn: () => api.usage(query, team),
      staleTime: 1_000,
      refetchInterval: Date.parse(query.to) - Date.parse(query.from) <= dayMs ? 1_000 : 15_000,
    }),
  admin: {
    plans: queryOptions({ queryKey: ["admin", "plans"], queryFn: api.admin.plans }),
    planMonths: queryOptions({
      queryKey: ["admin", "plans", "month"],
      queryFn: api.admin.planMonths,
      staleTime: 60_000,
    }),
    suggestion: queryOptions({
      queryKey: ["admin", "suggestion"],
      queryFn: api.admin.suggestion,
      staleTime: 30_000,
    }),
    engines: queryOptions({
      queryKey: ["admin", "engines"],
      queryFn: api.admin.engines,
      refetchInterval: 3_000,
    }),
    models: queryOptions({
      queryKey: ["admin", "models"],
      queryFn: api.admin.models,
      refetchInterval: ({ state }) => (isMoving(state.data) ? 1_000 : 5_000),
    }),
    modelChoices: (model: ModelId) =>
      queryOptions({
        queryKey: ["admin", "model-choices", model],
        queryFn: () => api.admin.modelChoices(model),
      }),
    drafts: queryOptions({ queryKey: ["admin", "drafts"], queryFn: api.admin.drafts }),
  },
};

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
