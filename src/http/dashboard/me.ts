/** One's own account: who one is, what is stored, the password, the address, and the end of it. */
import { Readable } from "node:stream";
import type { EmailChange } from "../../core/accounts/own-email.js";
import type { KeptOfAccount } from "../../core/serving/kept-memory.js";
import { storedAbout, storedExport, storedRows } from "../../core/accounts/stored-about.js";
import {
  changeEmailBody,
  changePasswordBody,
  storedQuery,
  type EmailChangeView,
} from "../../protocol/dashboard/api.js";
import type { DashboardParts } from "./parts.js";
import { confirmed, user, type DashboardRoute } from "./route.js";
import { requirePasswordMode } from "./sign-in.js";
import { meView } from "./views.js";

export function meRoutes({ dashboard, memory }: DashboardParts): DashboardRoute[] {
  const { store, clock, ownAccount, ownEmail } = dashboard;
  const changeView = (change: EmailChange | null): EmailChangeView => ({
    change: change && { ...change, expiresAt: change.expiresAt.toISOString() },
  });
  return [
    user("GET", "/me", { beforeEnrolment: true }, (_visit, me) => meView(dashboard, me)),
    user("GET", "/me/stored", (_visit, { account }) => storedAbout(store.stored, clock, account.id)),
    user("GET", "/me/stored/rows", (visit, { account }) => {
      const { table, after = null } = visit.query(storedQuery);
      return storedRows(store.stored, account.id, table, after);
    }),
    user("GET", "/me/export", async (visit, { account }) => {
      visit.attach("sotto-account.json", "application/json");
      return Readable.from(storedExport(store.stored, clock, account.id));
    }),
    user("GET", "/me/memory", (_visit, { account }): Promise<KeptOfAccount> => memory.of(account.id)),
    user("POST", "/me/memory/forget", async (_visit, { account }): Promise<KeptOfAccount> => {
      await memory.forgetEverywhere(account.id);
      return memory.of(account.id);
    }),
    user("POST", "/me/password", confirmed, async (visit, me) => {
      requirePasswordMode(dashboard.signInMode);
      const { next } = await visit.body(changePasswordBody);
      await ownAccount.changePassword(me, next);
    }),
    user("GET", "/me/email", async (_visit, me) => changeView(await ownEmail.pendingChange(me))),
    user("PUT", "/me/email", confirmed, async (visit, me) => {
      const { email } = await visit.body(changeEmailBody);
      return changeView(await ownEmail.change(me, email));
    }),
    user("DELETE", "/me/email", async (_visit, me) => {
      await ownEmail.cancelChange(me);
      return changeView(null);
    }),
    user("POST", "/me/verify", (_visit, me) => ownEmail.requestVerification(me)),
    user("DELETE", "/me", confirmed, async (visit, me) => {
      await ownAccount.remove(me);
      await visit.signOut();
      visit.knownDevice.clear();
    }),
  ];
}
