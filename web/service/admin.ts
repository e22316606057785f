/** Calls and queries of the admin pages and of the public status history. See api.ts and queries.ts. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type * as accounts from "../../src/protocol/dashboard/accounts.js";
import type * as admin from "../../src/protocol/dashboard/admin.js";
import type { KeyView, OneTimeLink, operatorBody, usageQuery } from "../../src/protocol/dashboard/api.js";
import type { AuditFilters, AuditPage } from "../../src/protocol/dashboard/audit.js";
import type * as providers from "../../src/protocol/identity-provider.js";
import type { OperatorFacts } from "../../src/core/operator.js";
import type { ChecklistItem } from "../../src/core/admin/service-views.js";
import type { MonthView } from "../../src/core/limits/month-use.js";
import type { ServiceUsageReport, TopUsers, UsageReport } from "../../src/core/usage/usage-views.js";
import type { UsagePeriod } from "../pages/app/usage/usage-period.ts";
import type * as webhooks from "../../src/protocol/dashboard/webhooks.js";
import { get, post, send, withQuery } from "./api.ts";

export type ServiceUsageQuery = z.input<typeof admin.serviceUsageQuery>;
type TopQuery = z.input<typeof admin.topQuery>;

const dayMs = 24 * 60 * 60_000;

const account = (id: string) => `/api/admin/accounts/${encodeURIComponent(id)}`;

const provider = (id: string) => `/api/admin/providers/${encodeURIComponent(id)}`;

export const adminApi = {
  home: () => get<admin.AdminHome>("/api/admin/home"),
  alerts: () => get<admin.AbuseAlertList>("/api/admin/alerts"),
  dismissAlert: (accountId: string) => post<object>(`/api/admin/alerts/${accountId}/dismiss`),
  restoreAlert: (accountId: string) => post<object>(`/api/admin/alerts/${accountId}/restore`),
  setKey: (id: string, change: "revoke" | "restore") => post<KeyView>(`/api/admin/keys/${id}/${change}`),
  tick: (id: ChecklistItem, ticked: boolean) => post<object>(`/api/admin/checklist/${id}`, { ticked }),
  saveOperator: (body: z.input<typeof operatorBody>) =>
    send<OperatorFacts>("PUT", "/api/admin/operator", body),
  hideChecklist: () => post<object>("/api/admin/checklist/hide"),
  usage: (query: ServiceUsageQuery) => get<ServiceUsageReport>(withQuery("/api/admin/usage", query)),
  usageCsvAddress: (query: ServiceUsageQuery) => withQuery("/api/admin/usage.csv", query),
  top: (query: TopQuery) => get<TopUsers>(withQuery("/api/admin/usage/top", query)),
  accounts: (search: string, after: string | undefined) =>
    get<accounts.AccountPage>(withQuery("/api/admin/accounts", { search, after })),
  account: (id: string) => get<accounts.AccountDetail>(account(id)),
  accountKeys: (id: string) => get<accounts.AccountKeys>(`${account(id)}/keys`),
  accountUsage: (id: string, query: z.input<typeof usageQuery>) =>
    get<UsageReport>(withQuery(`${account(id)}/usage`, query)),
  accountMonth: (id: string) => get<MonthView>(`${account(id)}/month`),
  endSessions: (id: string) => post<object>(`${account(id)}/sessions/end`),
  changeAccounts: (body: z.input<typeof accounts.bulkBody>) =>
    post<accounts.BulkResult>("/api/admin/accounts/bulk", body),

  invites: () => get<{ invites: accounts.InviteView[] }>("/api/admin/invites"),
  invite: (body: z.input<typeof accounts.inviteBody>) => post<OneTimeLink>("/api/admin/invites", body),
  revokeInvite: (id: string) => send<object>("DELETE", `/api/admin/invites/${id}`),

  audit: (filters: AuditFilters, before?: string) =>
    get<AuditPage>(withQuery("/api/admin/audit", { ...filters, before })),
  auditCsvAddress: (filters: AuditFilters) => withQuery("/api/admin/audit.csv", filters),

  providers: () => get<providers.ProviderList>("/api/admin/providers"),
  saveProvider: (id: string, body: z.input<typeof providers.providerBody>) =>
    send<providers.ProviderView>("PUT", provider(id), body),
  testProvider: (id: string, body: z.input<typeof providers.providerBody>) =>
    post<providers.ProviderTest>(`${provider(id)}/test`, body),
  deleteProvider: (id: string) => send<object>("DELETE", provider(id)),
  webhooks: () => get<{ webhooks: webhooks.WebhookView[] }>("/api/admin/webhooks"),
  createWebhook: (body: z.input<typeof webhooks.webhookBody>) =>
    post<webhooks.WebhookWithSecret>("/api/admin/webhooks", body),
  saveWebhook: (id: string, body: z.input<typeof webhooks.webhookChangeBody>) =>
    send<webhooks.WebhookView>("PUT", `/api/admin/webhooks/${id}`, body),
  deleteWebhook: (id: string) => send<object>("DELETE", `/api/admin/webhooks/${id}`),
  rotateWebhookSecret: (id: string) => post<{ secret: string }>(`/api/admin/webhooks/${id}/secret`),
  testWebhook: (id: string) => post<object>(`/api/admin/webhooks/${id}/test`),
  deliveries: (before?: string) =>
    get<webhooks.DeliveryPage>(withQuery("/api/admin/webhook-deliveries", { before })),
  redeliver: (id: string) => post<object>(`/api/admin/webhook-deliveries/${id}/redeliver`),

  history: () => get<admin.StatusHistory>("/api/status/history"),
};

/** Admins watch the current day; longer periods are more expensive to query. */
const refetchInterval = ({ from, to }: { from: string; to: string }) =>
  Date.parse(to) - Date.parse(from) <= dayMs ? 5_000 : 60_000;

export const adminQueries = {
  providers: queryOptions({ queryKey: ["admin", "providers"], queryFn: adminApi.providers }),
  home: queryOptions({ queryKey: ["admin", "home"], queryFn: adminApi.home, refetchInterval: 3_000 }),
  alerts: queryOptions({ queryKey: ["admin", "alerts"], queryFn: adminApi.alerts, refetchInterval: 15_000 }),
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
  accounts: (search: string, after: string | undefined) =>
    queryOptions({
      queryKey: ["admin", "accounts", search, after],
      queryFn: () => adminApi.accounts(search, after),
    }),
  account: (id: string) =>
    queryOptions({ queryKey: ["admin", "account", id], queryFn: () => adminApi.account(id) }),
  accountKeys: (id: string) =>
    queryOptions({ queryKey: ["admin", "account", id, "keys"], queryFn: () => adminApi.accountKeys(id) }),
  accountUsage: (id: string, period: UsagePeriod) =>
    queryOptions({
      queryKey: ["admin", "account", id, "usage", period],
      queryFn: () => adminApi.accountUsage(id, period),
    }),
  accountMonth: (id: string) =>
    queryOptions({ queryKey: ["admin", "account", id, "month"], queryFn: () => adminApi.accountMonth(id) }),
  invites: queryOptions({ queryKey: ["admin", "invites"], queryFn: adminApi.invites }),
  audit: (filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ["admin", "audit", filters],
      queryFn: ({ pageParam }) => adminApi.audit(filters, pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next ?? undefined,
    }),
  webhooks: queryOptions({
    queryKey: ["admin", "webhooks"],
    queryFn: adminApi.webhooks,
    refetchInterval: 15_000,
  }),
  deliveries: infiniteQueryOptions({
    queryKey: ["admin", "webhooks", "deliveries"],
    queryFn: ({ pageParam }) => adminApi.deliveries(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 5_000,
  }),
  history: queryOptions({
    queryKey: ["status", "history"],
    queryFn: adminApi.history,
    refetchInterval: 60_000,
  }),
};
