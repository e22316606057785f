/**
 * What pages read, with its key in the cache and how fresh it must be. After a change, invalidate by key:
 * `client.invalidateQueries({ queryKey: queries.keys.queryKey })`.
 */
import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import type { ModelsNow } from "../../src/core/model-views.js";
import type { PlanView } from "../../src/protocol/dashboard/api.js";
import { api } from "./api.ts";

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
  keys: queryOptions({ queryKey: ["keys"], queryFn: api.keys }),
  limits: queryOptions({
    queryKey: ["limits"],
    queryFn: async ({ client }) => {
      const limits = await api.limits();
      takePlan(client, limits.plan);
      return limits;
    },
    refetchInterval: 2_000,
  }),
  /** The last day is what people watch while they try their first request; longer periods cost more to read. */
  usage: (query: UsageQuery) =>
    queryOptions({
      queryKey: ["usage", query],
      queryFn: () => api.usage(query),
      staleTime: 1_000,
      refetchInterval: Date.parse(query.to) - Date.parse(query.from) <= dayMs ? 1_000 : 15_000,
    }),
  admin: {
    plans: queryOptions({ queryKey: ["admin", "plans"], queryFn: api.admin.plans }),
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
    modelChoices: queryOptions({ queryKey: ["admin", "model-choices"], queryFn: api.admin.modelChoices }),
  },
};

/** Something is in progress and is polled more often. */
function isMoving(now: ModelsNow | undefined): boolean {
  if (now === undefined) return false;
  const isPulling = now.pulls.some(({ state }) => ["waiting", "running", "checking"].includes(state));
  return isPulling || now.models.some(({ change }) => change?.state === "switching");
}

/** Who is looking at the page and what the service allows; every page needs it. */
export function useSite() {
  return useQuery(queries.site);
}

/** The newest response about the plan applies to every part of the page. Set only when it changed: setting restarts polls. */
function takePlan(client: QueryClient, plan: PlanView): void {
  const known = client.getQueryData(site.queryKey);
  if (known?.me == null || JSON.stringify(known.me.plan) === JSON.stringify(plan)) return;
  client.setQueryData(site.queryKey, { ...known, me: { ...known.me, plan } });
}
