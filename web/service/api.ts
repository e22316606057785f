/**
 * The dashboard's client: one function for each change of src/protocol/dashboard/api.ts, JSON both ways, same
 * origin; what is read is in queries.ts. Sending and error handling are in request.ts. The server is the same program at the same version:
 * replies are trusted, not parsed again.
 */
import { queryOptions, type keepPreviousData, type QueryKey } from "@tanstack/react-query";
import type { Confirmed } from "../../src/core/accounts/own-email.js";
import type { z } from "zod";
import type { StoredRows } from "../../src/core/accounts/stored-views.js";
import type { EnginePreflight, PullView } from "../../src/core/model-views.js";
import type { KeptOfAccount } from "../../src/core/serving/kept-memory.js";
import type * as dashboard from "../../src/protocol/dashboard/api.js";
import type { Entry } from "../../src/protocol/dashboard/factors.js";
import type * as providers from "../../src/protocol/identity-provider.js";
import type { ConnectionTestView, editKeyBody } from "../../src/protocol/dashboard/keys.js";
import type * as models from "../../src/protocol/dashboard/models.js";
import type { ModelId } from "../../src/core/models.js";
import { confirmingIdentity } from "./confirmation.ts";
import { request } from "./request.ts";

type BodyOf<Schema extends z.ZodType> = z.input<Schema>;
type Query = Record<string, string | number | undefined>;
export const api = {
  signUp: (body: BodyOf<typeof dashboard.signUpBody>) => post<dashboard.Me>("/api/sign-up", body),
  signUpInvited: (body: BodyOf<typeof dashboard.invitedBody>) =>
    post<providers.ProviderRound>("/api/sign-up/provider", body),
  signIn: (body: BodyOf<typeof dashboard.signInBody>) => post<Entry>("/api/sign-in", body),
  signInByLink: (body: BodyOf<typeof dashboard.signInLinkBody>) =>
    post<dashboard.Me>("/api/sign-in/link", body),
  join: (body: BodyOf<typeof dashboard.joinBody>) => post<dashboard.Me>("/api/sign-in/join", body),
  setup: (body: BodyOf<typeof dashboard.setupBody>) => post<dashboard.Me>("/api/setup", body),
  requestReset: (body: BodyOf<typeof dashboard.resetRequestBody>) => post<object>("/api/reset/request", body),
  reset: (body: BodyOf<typeof dashboard.resetBody>) => post<Entry>("/api/reset", body),
  confirm: (body: BodyOf<typeof dashboard.confirmBody>) => post<Confirmed>("/api/confirm", body),
  signOut: () => post<dashboard.SignedOut>("/api/sign-out"),
  signOutEverywhere: () => post<object>("/api/sign-out-everywhere"),

  storedRows: (table: string, after: string) =>
    get<StoredRows>(`/api/me/stored/rows?${new URLSearchParams({ table, after }).toString()}`),
  forgetMemory: () => post<KeptOfAccount>("/api/me/memory/forget"),
  changePassword: (body: BodyOf<typeof dashboard.changePasswordBody>) =>
    post<object>("/api/me/password", body),
  linkProvider: (body: BodyOf<typeof providers.linkBody>) =>
    post<providers.ProviderRound>("/api/me/identities", body),
  unlinkProvider: (id: string) => send<object>("DELETE", `/api/me/identities/${id}`),
  changeEmail: (body: BodyOf<typeof dashboard.changeEmailBody>) =>
    send<dashboard.EmailChangeView>("PUT", "/api/me/email", body),
  cancelEmailChange: () => send<dashboard.EmailChangeView>("DELETE", "/api/me/email"),
  requestVerification: () => post<object>("/api/me/verify"),
  deleteAccount: () => send<object>("DELETE", "/api/me"),
  exportAddress: "/api/me/export",

  beginConnectionTest: () => post<ConnectionTestView>("/api/connection-test"),
  createKey: (body: BodyOf<typeof dashboard.createKeyBody>, team: string | null = null) =>
    post<dashboard.KeyWithSecret>(`${below(team)}/keys`, body),
  editKey: (id: string, body: BodyOf<typeof editKeyBody>, team: string | null = null) =>
    send<dashboard.KeyView>("PUT", `${below(team)}/keys/${id}`, body),
  rotateKey: (id: string, body: BodyOf<typeof dashboard.rotateKeyBody>, team: string | null = null) =>
    post<dashboard.KeyWithSecret>(`${below(team)}/keys/${id}/rotate`, body),
  setKey: (id: string, change: "disable" | "enable" | "revoke", team: string | null = null) =>
    post<dashboard.KeyView>(`${below(team)}/keys/${id}/${change}`),

  usageCsvAddress: (query: BodyOf<typeof dashboard.usageQuery>, team: string | null = null) =>
    withQuery(`${below(team)}/usage.csv`, query),

  admin: {
    createOperatorKey: (body: BodyOf<typeof dashboard.operatorKeyBody>) =>
      post<dashboard.KeyWithSecret>("/api/admin/operator-keys", body),
    setAccount: (id: string, change: "suspend" | "resume") =>
      post<dashboard.AccountView>(`/api/admin/accounts/${id}/${change}`),
    setPlan: (id: string, body: BodyOf<typeof dashboard.setPlanBody>) =>
      post<dashboard.AccountView>(`/api/admin/accounts/${id}/plan`, body),
    setRole: (id: string, body: BodyOf<typeof dashboard.setRoleBody>) =>
      post<dashboard.AccountView>(`/api/admin/accounts/${id}/role`, body),
    deleteAccount: (id: string) => send<object>("DELETE", `/api/admin/accounts/${id}`),
    resetLink: (id: string) => post<dashboard.OneTimeLink>(`/api/admin/accounts/${id}/reset-link`),

    savePlan: (id: string, body: BodyOf<typeof dashboard.planBody>) =>
      send<dashboard.PlanView>("PUT", `/api/admin/plans/${encodeURIComponent(id)}`, body),
    deletePlan: (id: string) => send<object>("DELETE", `/api/admin/plans/${encodeURIComponent(id)}`),

    useWeights: (model: ModelId, body: BodyOf<typeof models.useWeightsBody>) =>
      post<object>(`/api/admin/models/${model}/weights`, body),
    useEngine: (model: ModelId, body: BodyOf<typeof models.engineBody>) =>
      post<object>(`/api/admin/models/${model}/engine`, body),
    setModel: (model: ModelId, change: "default" | "roll-back") =>
      post<object>(`/api/admin/models/${model}/${change}`),
    preflight: (body: BodyOf<typeof models.engineBody>) =>
      post<EnginePreflight>("/api/admin/models/preflight", body),
    pull: (body: BodyOf<typeof models.pullBody>) => post<PullView>("/api/admin/pulls", body),
    setPull: (id: string, change: "pause" | "resume") => post<PullView>(`/api/admin/pulls/${id}/${change}`),
    cancelPull: (id: string) => send<object>("DELETE", `/api/admin/pulls/${id}`),

    addEntry: (body: BodyOf<typeof dashboard.changelogBody>) =>
      post<dashboard.ChangelogEntry>("/api/admin/changelog", body),
    saveEntry: (id: string, body: BodyOf<typeof dashboard.changelogBody>) =>
      send<dashboard.ChangelogEntry>("PUT", `/api/admin/changelog/${id}`, body),
    deleteEntry: (id: string) => send<object>("DELETE", `/api/admin/changelog/${id}`),
    publishDraft: (model: ModelId, body: BodyOf<typeof dashboard.changelogBody>) =>
      post<dashboard.ChangelogEntry>(`/api/admin/changelog/drafts/${model}`, body),
    discardDraft: (model: ModelId) => send<object>("DELETE", `/api/admin/changelog/drafts/${model}`),
    scheduleMaintenance: (body: BodyOf<typeof dashboard.maintenanceBody>) =>
      post<dashboard.Maintenance>("/api/admin/maintenance", body),
    changeMaintenance: (id: string, body: BodyOf<typeof dashboard.maintenanceBody>) =>
      send<dashboard.Maintenance>("PUT", `/api/admin/maintenance/${id}`, body),
    endMaintenance: (id: string) => post<dashboard.Maintenance>(`/api/admin/maintenance/${id}/end`),
  },
};

/** Where the keys, usage and limits of a team are, or one's own. */
export const below = (team: string | null): string => (team === null ? "/api" : `/api/teams/${team}`);

/** The address with the query's set fields appended. */
export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

// The reply's type is stated by the caller, from the contract: see the head of this file.
export function get<Reply>(path: string): Promise<Reply> {
  return request("GET", path) as Promise<Reply>;
}

interface ReadOptions {
  staleTime?: number;
  gcTime?: number;
  refetchInterval?: number;
  placeholderData?: typeof keepPreviousData;
}

/** The query of one address. */
export const read = <Reply>(queryKey: QueryKey, path: string, options: ReadOptions = {}) =>
  queryOptions({ queryKey, queryFn: () => get<Reply>(path), ...options });

export function post<Reply>(path: string, body: object = {}): Promise<Reply> {
  return send<Reply>("POST", path, body);
}

export function send<Reply>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body: object = {},
): Promise<Reply> {
  return confirmingIdentity(() => request(method, path, body)) as Promise<Reply>;
}
