/** What an operator's pages read and change, and the public history: as in api.ts and queries.ts. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type * as operator from "../../src/protocol/dashboard-operator.js";
import { withQuery } from "./api.ts";
import { request } from "./request.ts";

export type ServiceUsageQuery = z.input<typeof operator.serviceUsageQuery>;
type TopQuery = z.input<typeof operator.topQuery>;

const dayMs = 24 * 60 * 60_000;

export const operatorApi = {
  home: () => request("GET", "/api/admin/home") as Promise<operator.OperatorHome>,
  tick: (id: operator.ChecklistItem, ticked: boolean) =>
    request("POST", `/api/admin/checklist/${id}`, { ticked }) as Promise<object>,
  hideChecklist: () => request("POST", "/api/admin/checklist/hide", {}) as Promise<object>,
  usage: (query: ServiceUsageQuery) =>
    request("GET", withQuery("/api/admin/usage", query)) as Promise<operator.ServiceUsageReport>,
  usageCsvAddress: (query: ServiceUsageQuery) => withQuery("/api/admin/usage.csv", query),
  top: (query: TopQuery) =>
    request("GET", withQuery("/api/admin/usage/top", query)) as Promise<operator.TopUsers>,
  history: () => request("GET", "/api/status/history") as Promise<operator.StatusHistory>,
};

/** Today's is watched; longer periods cost more to read. */
const refetchInterval = ({ from, to }: { from: string; to: string }) =>
  Date.parse(to) - Date.parse(from) <= dayMs ? 5_000 : 60_000;

export const operatorQueries = {
  home: queryOptions({ queryKey: ["admin", "home"], queryFn: operatorApi.home, refetchInterval: 3_000 }),
  usage: (query: ServiceUsageQuery) =>
    queryOptions({
      queryKey: ["admin", "usage", query],
      queryFn: () => operatorApi.usage(query),
      refetchInterval: refetchInterval(query),
      placeholderData: keepPreviousData,
    }),
  top: (query: TopQuery) =>
    queryOptions({
      queryKey: ["admin", "usage", "top", query],
      queryFn: () => operatorApi.top(query),
      refetchInterval: refetchInterval(query) * 3,
      placeholderData: keepPreviousData,
    }),
  history: queryOptions({
    queryKey: ["status", "history"],
    queryFn: operatorApi.history,
    refetchInterval: 60_000,
  }),
};
