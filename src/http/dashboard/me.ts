/** One's own account: who one is, what is stored, the password, and the end of it. */
import { Readable } from "node:stream";
import { storedAbout, storedExport, storedRows } from "../../core/accounts/stored-about.js";
import { changePasswordBody, deleteAccountBody, storedQuery } from "../../protocol/dashboard/api.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";
import { meView } from "./views.js";

export function meRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { store, clock, ownAccount } = dashboard;
  return [
    user("GET", "/me", async (_visit, me) => meView(me)),
    user("GET", "/me/stored", (_visit, { account }) => storedAbout(store.stored, clock, account.id)),
    user("GET", "/me/stored/rows", (visit, { account }) => {
      const { table, after = null } = visit.query(storedQuery);
      return storedRows(store.stored, account.id, table, after);
    }),
    user("GET", "/me/export", async (visit, { account }) => {
      visit.attach("sotto-account.json", "application/json");
      return Readable.from(storedExport(store.stored, clock, account.id));
    }),
    user("POST", "/me/password", async (visit, me) => {
      const { current, next } = await visit.body(changePasswordBody);
      await ownAccount.changePassword(me, current, next);
      return {};
    }),
    user("DELETE", "/me", async (visit, me) => {
      const { password } = await visit.body(deleteAccountBody);
      await ownAccount.remove(me, password);
      await visit.signOut();
      visit.forgetDevice();
      return {};
    }),
  ];
}
