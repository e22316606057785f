/** What the pages for many accounts, many keys and the audit trail read. See queries.ts. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AuditFilters } from "../../src/protocol/dashboard/audit.js";
import type { UsagePeriod } from "../pages/app/usage/usage-period.ts";
import { consoleApi, type KeysQuery } from "./console-api.ts";

export const consoleQueries = {
  /** Below the key of all keys, so that what invalidates those invalidates this. */
  keyPage: (query: KeysQuery) =>
    queryOptions({ queryKey: ["keys", "page", query], queryFn: () => consoleApi.keyPage(query) }),
  keyUsage: queryOptions({
    queryKey: ["keys", "usage"],
    queryFn: consoleApi.keyUsage,
    staleTime: 10_000,
  }),
  accounts: (search: string, after: string | undefined) =>
    queryOptions({
      queryKey: ["admin", "accounts", search, after],
      queryFn: () => consoleApi.accounts(search, after),
    }),
  account: (id: string) =>
    queryOptions({ queryKey: ["admin", "account", id], queryFn: () => consoleApi.account(id) }),
  accountKeys: (id: string) =>
    queryOptions({ queryKey: ["admin", "account", id, "keys"], queryFn: () => consoleApi.accountKeys(id) }),
  accountUsage: (id: string, period: UsagePeriod) =>
    queryOptions({
      queryKey: ["admin", "account", id, "usage", period],
      queryFn: () => consoleApi.accountUsage(id, period),
    }),
  invites: queryOptions({ queryKey: ["admin", "invites"], queryFn: consoleApi.invites }),
  audit: (filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ["admin", "audit", filters],
      queryFn: ({ pageParam }) => consoleApi.audit(filters, pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next ?? undefined,
    }),
};
