/**
 * What pages read, with its key in the cache and how fresh it must be. After a change, invalidate by key:
 * `client.invalidateQueries({ queryKey: queries.keys.queryKey })`.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ModelsNow } from "../src/protocol/dashboard-models.js";
import { api } from "./api.ts";

type UsageQuery = Parameters<typeof api.usage>[0];

export const queries = {
  site: queryOptions({ queryKey: ["site"], queryFn: api.site, staleTime: 30_000, refetchInterval: 60_000 }),
  status: queryOptions({ queryKey: ["status"], queryFn: api.status, refetchInterval: 15_000 }),
  changelog: queryOptions({ queryKey: ["changelog"], queryFn: api.changelog }),
  stored: queryOptions({ queryKey: ["stored"], queryFn: api.stored }),
  keys: queryOptions({ queryKey: ["keys"], queryFn: api.keys }),
  limits: queryOptions({ queryKey: ["limits"], queryFn: api.limits, refetchInterval: 5_000 }),
  usage: (query: UsageQuery) =>
    queryOptions({ queryKey: ["usage", query], queryFn: () => api.usage(query), refetchInterval: 15_000 }),
  admin: {
    accounts: (search: string, page: number) =>
      queryOptions({
        queryKey: ["admin", "accounts", search, page],
        queryFn: () => api.admin.accounts({ search, page }),
      }),
    plans: queryOptions({ queryKey: ["admin", "plans"], queryFn: api.admin.plans }),
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

/** Something is on its way, and is watched more closely. */
function isMoving(now: ModelsNow | undefined): boolean {
  if (now === undefined) return false;
  const isPulling = now.pulls.some(({ state }) => ["waiting", "running", "checking"].includes(state));
  return isPulling || now.models.some(({ change }) => change?.state === "switching");
}

/** Who is looking at the page and what the service allows; every page needs it. */
export function useSite() {
  return useQuery(queries.site);
}
