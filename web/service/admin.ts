/** Calls and queries of the admin pages and of the public status history. See api.ts and queries.ts. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { z } from "zod";
import type * as accounts from "../../src/protocol/dashboard/accounts.js";
import type * as admin from "../../src/protocol/dashboard/admin.js";
import type { KeyView, OneTimeLink, operatorBody } from "../../src/protocol/dashboard/api.js";
import type { AuditFilters, AuditPage } from "../../src/protocol/dashboard/audit.js";
import type * as providers from "../../src/protocol/identity-provider.js";
import type { OperatorFacts } from "../../src/core/operator.js";
import type { ChecklistItem } from "../../src/core/admin/service-views.js";
import type { MonthView } from "../../src/core/limits/month-use.js";
import type { ServiceUsageReport, TopUsers, UsageReport } from "../../src/core/usage/usage-views.js";
import type { UsagePeriod } from "../pages/app/usage/usage-period.ts";
import type * as webhooks from "../../src/protocol/dashboard/webhooks.js";
import { get, post, read, send, withQuery } from "./api.ts";

export type ServiceUsageQuery = z.input<typeof admin.serviceUsageQuery>;
type TopQuery = z.input<typeof admin.topQuery>;

const dayMs = 24 * 60 * 60_000;

const account = (id: string) => `/api/admin/accounts/${encodeURIComponent(id)}`;

const provider = (id: string) => `/api/admin/providers/${encodeURIComponent(id)}`;

export const adminApi = {
  dismissAlert: (accountId: string) => post<object>(`/api/admin/alerts/${accountId}/dismiss`),
  restoreAlert: (accountId: string) => post<object>(`/api/admin/alerts/${accountId}/restore`),
  setKey: (id: string, change: "revoke" | "restore") => post<KeyView>(`/api/admin/keys/${id}/${change}`),
  tick: (id: ChecklistItem, ticked: boolean) => post<object>(`/api/admin/checklist/${id}`, { ticked }),
  saveOperator: (body: z.input<typeof operatorBody>) =>
    send<OperatorFacts>("PUT", "/api/admin/operator", body),
  hideChecklist: () => post<object>("/api/admin/checklist/hide"),
  usageCsvAddress: (query: ServiceUsageQuery) => withQuery("/api/admin/usage.csv", query),
  endSessions: (id: string) => post<object>(`${account(id)}/sessions/end`),
  changeAccounts: (body: z.input<typeof accounts.bulkBody>) =>
    post<accounts.BulkResult>("/api/admin/accounts/bulk", body),

  invite: (body: z.input<typeof accounts.inviteBody>) => post<OneTimeLink>("/api/admin/invites", body),
  revokeInvite: (id: string) => send<object>("DELETE", `/api/admin/invites/${id}`),

  audit: (filters: AuditFilters, before?: string) =>
    get<AuditPage>(withQuery("/api/admin/audit", { ...filters, before })),
  auditCsvAddress: (filters: AuditFilters) => withQuery("/api/admin/audit.csv", filters),

  saveProvider: (id: string, body: z.input<typeof providers.providerBody>) =>
    send<providers.ProviderView>("PUT", provider(id), body),
  testProvider: (id: string, body: z.input<typeof providers.providerBody>) =>
    post<providers.ProviderTest>(`${provider(id)}/test`, body),
  deleteProvider: (id: string) => send<object>("DELETE", provider(id)),
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
};

/** Admins watch the current day; longer periods are more expensive to query. */
const refetchInterval = ({ from, to }: { from: string; to: string }) =>
  Date.parse(to) - Date.parse(from) <= dayMs ? 5_000 : 60_000;

export const adminQueries = {
  providers: read<providers.ProviderList>(["admin", "providers"], "/api/admin/providers"),
  home: read<admin.AdminHome>(["admin", "home"], "/api/admin/home", { refetchInterval: 3_000 }),
  alerts: read<admin.AbuseAlertList>(["admin", "alerts"], "/api/admin/alerts", { refetchInterval: 15_000 }),
  usage: (query: ServiceUsageQuery) =>
    read<ServiceUsageReport>(["admin", "usage", query], withQuery("/api/admin/usage", query), {
      refetchInterval: refetchInterval(query),
      placeholderData: keepPreviousData,
    }),
  top: (query: TopQuery) =>
    read<TopUsers>(["admin", "usage", "top", query], withQuery("/api/admin/usage/top", query), {
      refetchInterval: refetchInterval(query) * 3,
      placeholderData: keepPreviousData,
    }),
  accounts: (search: string, after: string | undefined) =>
    read<accounts.AccountPage>(
      ["admin", "accounts", search, after],
      withQuery("/api/admin/accounts", { search, after }),
    ),
  account: (id: string) => read<accounts.AccountDetail>(["admin", "account", id], account(id)),
  accountKeys: (id: string) =>
    read<accounts.AccountKeys>(["admin", "account", id, "keys"], `${account(id)}/keys`),
  accountUsage: (id: string, period: UsagePeriod) =>
    read<UsageReport>(
      ["admin", "account", id, "usage", period],
      withQuery(`${account(id)}/usage`, { ...period }),
    ),
  accountMonth: (id: string) => read<MonthView>(["admin", "account", id, "month"], `${account(id)}/month`),
  invites: read<{ invites: accounts.InviteView[] }>(["admin", "invites"], "/api/admin/invites"),
  audit: (filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ["admin", "audit", filters],
      queryFn: ({ pageParam }) => adminApi.audit(filters, pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next ?? undefined,
    }),
  webhooks: read<{ webhooks: webhooks.WebhookView[] }>(["admin", "webhooks"], "/api/admin/webhooks", {
    refetchInterval: 15_000,
  }),
  deliveries: infiniteQueryOptions({
    queryKey: ["admin", "webhooks", "deliveries"],
    queryFn: ({ pageParam }) => adminApi.deliveries(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 5_000,
  }),
  history: read<admin.StatusHistory>(["status", "history"], "/api/status/history", {
    refetchInterval: 60_000,
  }),
};
