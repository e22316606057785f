/** What everyone may read: who runs the service, its status, what is new. */
import { historyMs } from "../../core/admin/availability.js";
import { statusNow } from "../../core/admin/status.js";
import { forEachChatModel } from "../../core/models.js";
import type { DashboardParts } from "./parts.js";
import { anyone, type DashboardRoute } from "./route.js";
import { announcementView, maintenanceView, meView, privacyCheckView } from "./views.js";
import type { StatusHistory } from "../../protocol/dashboard/admin.js";
import type { Changelog, Site, Status } from "../../protocol/dashboard/api.js";

export function siteRoutes(parts: DashboardParts): DashboardRoute[] {
  const { http, dashboard, version, queue, sharers, defaultMaxTokens, limitsHealth } = parts;
  const { store, operator, news, outbox, signUpMode, availability, privacyCheck, clock } = dashboard;
  const { passkeyParty, signInMode, providers } = dashboard;
  const currentMaintenance = async () =>
    (await news.currentWindows()).map((window) => maintenanceView(window, news.stateOf(window)));

  return [
    anyone("GET", "/site", async (visit): Promise<Site> => {
      const me = await visit.whoIsHere();
      const [maintenance = null] = await currentMaintenance();
      return {
        operator: await operator.read(),
        version,
        signUp: signUpMode,
        signIn: signInMode,
        providers: (await providers.list()).map(({ provider: { id, name, signUp } }) => ({
          id,
          name,
          signsUp: signUp !== "nobody",
        })),
        needsSetup: !(await store.accounts.hasAdmin()),
        canMail: outbox.canMail,
        defaultMaxTokens: forEachChatModel(defaultMaxTokens),
        maintenance,
        passkeyOrigin: passkeyParty()?.origin ?? null,
        me: me === null ? null : await meView(dashboard, me),
      };
    }),

    anyone("GET", "/status", async (): Promise<Status> => {
      const { engineStatus } = http;
      const sources = { engineStatus, queue, sharers, pingStore: () => store.ping(), limitsHealth, news };
      const now = await statusNow(sources);
      const databaseIsUp = now.parts.every((part) => part.state !== "down");
      return {
        checkedAt: http.clock.now().toISOString(),
        ...now,
        maintenance: databaseIsUp ? await currentMaintenance() : [],
        privacyCheck: privacyCheckView(
          databaseIsUp ? await privacyCheck.read() : privacyCheck.last,
          clock.now(),
        ),
      };
    }),

    anyone("GET", "/status/history", async (): Promise<StatusHistory> => {
      const since = new Date(clock.now().getTime() - historyMs);
      const [counted, past] = await Promise.all([availability.read(), news.listPastWindows(since)]);
      return { ...counted, maintenance: past.map((window) => maintenanceView(window, "over")) };
    }),

    anyone("GET", "/changelog", async (): Promise<Changelog> => {
      const announcements = await news.list();
      return {
        entries: announcements.map((item) => announcementView(item, (window) => news.stateOf(window))),
      };
    }),
  ];
}
