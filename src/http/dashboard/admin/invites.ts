/** Invitations, for admins. */
import { inviteBody, type InviteView } from "../../../protocol/dashboard/accounts.js";
import type { PendingInvite } from "../../../core/sign-in/one-time-links.js";
import { baseUrlOf } from "../accounts.js";
import type { DashboardParts } from "../parts.js";
import { admin, type DashboardRoute } from "../route.js";
import { linkView } from "../views.js";

export function inviteRoutes({ dashboard: { invites }, publicUrl }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/invites", async () => ({ invites: (await invites.pending()).map(inviteView) })),
    admin("POST", "/admin/invites", async (visit, actor) => {
      const { email = null, planId = null, expiresInDays: days } = await visit.body(inviteBody);
      return linkView(await invites.create(actor, { email, planId, days }), publicUrl ?? baseUrlOf(visit));
    }),
    admin("GET", "/admin/invites/:id", async ({ id }) => inviteView(await invites.require(id))),
    admin("DELETE", "/admin/invites/:id", ({ id }, actor) => invites.revoke(actor, id)),
  ];
}

const inviteView = ({ id, email, emailHash, planId, createdAt, expiresAt }: PendingInvite): InviteView => ({
  id,
  email: email ?? null,
  isForUnknownAddress: emailHash !== null && email == null,
  planId: planId ?? null,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
