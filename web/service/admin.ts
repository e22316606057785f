/** What the pages for admins read and change, and the public history: as in api.ts and queries.ts. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type * as admin from "../../src/protocol/dashboard/admin.js";
import type { ChecklistItem } from "../../src/core/admin/service-views.js";
import type { ServiceUsageReport, TopUsers } from "../../src/core/usage/usage-views.js";
import { withQuery } from "./api.ts";
import { request } from "./request.ts";

export type ServiceUsageQuery = z.input<typeof admin.serviceUsageQuery>;
type TopQuery = z.input<typeof admin.topQuery>;

const dayMs = 24 * 60 * 60_000;

export const adminApi = {
  home: () => request("GET", "/api/admin/home") as Promise<admin.AdminHome>,
  tick: (id: ChecklistItem, ticked: boolean) =>
    request("POST", `/api/admin/checklist/${id}`, { ticked }) as Promise<object>,
  hideChecklist: () => request("POST", "/api/admin/checklist/hide", {}) as Promise<object>,
  usage: (query: ServiceUsageQuery) =>
    request("GET", withQuery("/api/admin/usage", query)) as Promise<ServiceUsageReport>,
  usageCsvAddress: (query: ServiceUsageQuery) => withQuery("/api/admin/usage.csv", query),
  top: (query: TopQuery) => request("GET", withQuery("/api/admin/usage/top", query)) as Promise<TopUsers>,
  history: () => request("GET", "/api/status/history") as Promise<admin.StatusHistory>,
};

/** Today's is watched; longer periods cost more to read. */
const refetchInterval = ({ from, to }: { from: string; to: string }) =>
  Date.parse(to) - Date.parse(from) <= dayMs ? 5_000 : 60_000;

export const adminQueries = {
  home: queryOptions({ queryKey: ["admin", "home"], queryFn: adminApi.home, refetchInterval: 3_000 }),
  usage: (query: ServiceUsageQuery) =>
    queryOptions({
      queryKey: ["admin", "usage", query],
      queryFn: () => adminApi.usage(query),
      refetchInterval: refetchInterval(query),
      placeholderData: keepPreviousData,
    }),
  top: (query: TopQuery) =>
    queryOptions({
      queryKey: ["admin", "usage", "top", query],
      queryFn: () => adminApi.top(query),
      refetchInterval: refetchInterval(query) * 3,
      placeholderData: keepPreviousData,
    }),
  history: queryOptions({
    queryKey: ["status", "history"],
    queryFn: adminApi.history,
    refetchInterval: 60_000,
  }),
};
