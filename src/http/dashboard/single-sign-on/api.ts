/** Identity providers in the dashboard's API: joining an account, one's own links, and the providers for admins. */
import { DashboardError } from "../../../core/dashboard-error.js";
import { ProviderFailure } from "../../../core/single-sign-on/ports.js";
import { SignInFailed } from "../../../core/single-sign-on/problems.js";
import { callbackPath, logoutPath } from "../../../core/single-sign-on/provider.js";
import type { ListedProvider } from "../../../core/single-sign-on/providers.js";
import { invitedBody, joinBody } from "../../../protocol/dashboard/api.js";
import {
  linkBody,
  newProviderBody,
  providerBody,
  providerId,
  type IdentitiesView,
  type PendingJoin,
  type ProviderList,
  type ProviderRound,
  type ProviderTest,
  type ProviderView,
} from "../../../protocol/identity-provider.js";
import type { Visit } from "../guard/visit.js";
import type { DashboardParts } from "../parts.js";
import { admin, anyone, confirmed, user, type DashboardRoute } from "../route.js";
import type { DashboardServices } from "../services.js";
import { meView } from "../views.js";
import { startSession } from "../sign-in.js";

export const singleSignOnRoutes = ({ dashboard }: DashboardParts): DashboardRoute[] => [
  ...inviteRoutes(dashboard),
  ...joinRoutes(dashboard),
  ...ownRoutes(dashboard),
  ...adminRoutes(dashboard),
];

const inviteRoutes = ({ singleSignOn }: DashboardServices): DashboardRoute[] => [
  anyone("POST", "/sign-up/provider", async (visit): Promise<ProviderRound> => {
    const { provider, invite } = await visit.body(invitedBody);
    const round = await singleSignOn.startInvited(provider, visit.network, invite);
    visit.round.set(round.token, round.expiresAt);
    return { url: round.url };
  }),
];

const joinRoutes = (dashboard: DashboardServices): DashboardRoute[] => [
  anyone("GET", "/sign-in/join", async ({ round }): Promise<PendingJoin> => ({
    join: await dashboard.singleSignOn.pendingJoin(round.value),
  })),
  anyone("POST", "/sign-in/join", async (visit) => {
    const { password } = await visit.body(joinBody);
    const { account, origin } = await dashboard.singleSignOn
      .join(visit.round.value, password, visit)
      .catch((error: unknown) => {
        throw error instanceof SignInFailed ? new DashboardError("forbidden", error.message) : error;
      });
    visit.round.clear();
    return meView(dashboard, await startSession(dashboard, visit, account, "oidc", origin));
  }),
];

const ownRoutes = ({ singleSignOn, ownIdentities, providers }: DashboardServices): DashboardRoute[] => [
  user("GET", "/me/identities", async (_visit, me): Promise<IdentitiesView> => {
    const { hasPassword, identities } = await ownIdentities.list(me);
    const names = new Map((await providers.list()).map(({ provider: { id, name } }) => [id, name]));
    return {
      hasPassword,
      identities: identities.map((identity) => ({
        id: identity.id,
        providerId: identity.providerId,
        provider: names.get(identity.providerId) ?? identity.providerId,
        linkedAt: identity.createdAt.toISOString(),
        lastUsedAt: identity.lastUsedAt.toISOString(),
      })),
    };
  }),
  user("POST", "/me/identities", confirmed, async (visit, me): Promise<ProviderRound> => {
    const { provider } = await visit.body(linkBody);
    const round = await singleSignOn.startLink(me, provider, "/app/account");
    visit.round.set(round.token, round.expiresAt);
    return { url: round.url };
  }),
  user("DELETE", "/me/identities/:id", confirmed, ({ id }, me) => ownIdentities.unlink(me, id)),
];

function adminRoutes({ providers, oidcClient, publicUrl, signInMode }: DashboardServices): DashboardRoute[] {
  const view = (listed: ListedProvider) => providerView(listed, publicUrl());
  return [
    admin("GET", "/admin/providers", async (): Promise<ProviderList> => {
      const listed = await providers.list();
      return {
        providers: listed.map(view),
        baseUrl: publicUrl(),
        isRequired: signInMode === "oidc",
      };
    }),
    admin("POST", "/admin/providers", confirmed, async (visit, actor): Promise<ProviderView> => {
      const provider = await providers.create(actor, await visit.body(newProviderBody));
      return view({ provider, isConfigured: false });
    }),
    admin("GET", "/admin/providers/:id", async ({ id }) => view(await providers.require(id))),
    admin("PUT", "/admin/providers/:id", confirmed, async (visit, actor): Promise<ProviderView> => {
      const provider = await providers.save(actor, {
        id: idOf(visit),
        ...(await visit.body(providerBody)),
      });
      return view({ provider, isConfigured: false });
    }),
    admin("POST", "/admin/providers/:id/test", async (visit): Promise<ProviderTest> => {
      const provider = await providers.complete({ id: idOf(visit), ...(await visit.body(providerBody)) });
      try {
        const facts = await oidcClient.check(provider, publicUrl() + callbackPath(provider.id));
        return { problem: null, ...facts };
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error;
        return { problem: error.message, hasLogout: false, hasBackChannelLogout: false };
      }
    }),
    admin("DELETE", "/admin/providers/:id", confirmed, ({ id }, actor) => providers.remove(actor, id)),
  ];
}

function idOf({ id }: Visit): string {
  const { data, error } = providerId.safeParse(id);
  if (data !== undefined) return data;
  throw new DashboardError("bad_request", error.issues[0]?.message ?? "This is not valid.", { field: "id" });
}

const providerView = ({ provider, isConfigured }: ListedProvider, baseUrl: string): ProviderView => {
  const { clientSecret, domains, groups, ...shown } = provider;
  return {
    ...shown,
    domains: [...domains],
    groups: groups.map((rule) => ({ ...rule })),
    hasSecret: clientSecret !== null,
    isConfigured,
    redirectUri: baseUrl + callbackPath(provider.id),
    logoutUri: baseUrl + logoutPath(provider.id),
  };
};
