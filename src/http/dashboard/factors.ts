/** One's own second factors and sessions, and confirming who one is. */
import { passkeyName } from "../../core/factors/passkeys.js";
import { sessionId } from "../../core/sign-in/sessions.js";
import {
  addPasskeyBody,
  confirmIdentityBody,
  confirmTotpBody,
  renamePasskeyBody,
  type FactorsView,
  type NewCodesView,
  type SessionView,
} from "../../protocol/dashboard/factors.js";
import type { DashboardParts } from "./parts.js";
import { user, type DashboardRoute } from "./route.js";

/** Possible for someone who must add a second factor first. */
const always = { beforeEnrolment: true };
const confirmed = { confirm: true };

export function factorRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { ownFactors, ownIdentities, ownAccount, sessions } = dashboard;
  return [
    user(
      "GET",
      "/me/factors",
      async (_visit, me): Promise<FactorsView> => {
        const { totpSince, passkeys, recoveryCodes } = await ownFactors.summary(me.account);
        const { hasPassword, identities } = await ownIdentities.list(me);
        return {
          totpSince: totpSince?.toISOString() ?? null,
          passkeys: passkeys.map(({ id, name, isSynced, createdAt, lastUsedAt }) => ({
            ...{ id: passkeyName({ id }), name, isSynced, createdAt: createdAt.toISOString() },
            lastUsedAt: lastUsedAt?.toISOString() ?? null,
          })),
          recoveryCodes,
          hasPassword,
          providers: identities.map(({ providerId }) => providerId),
        };
      },
      always,
    ),
    user(
      "POST",
      "/me/confirm",
      async (visit, me) => ownFactors.confirm(me, await visit.body(confirmIdentityBody)),
      always,
    ),
    user("POST", "/me/confirm/passkey", (_visit, me) => ownFactors.confirmOptions(me.account), always),

    user("POST", "/me/totp", (_visit, me) => ownFactors.beginTotp(me.account), { ...always, ...confirmed }),
    user(
      "POST",
      "/me/totp/confirm",
      async (visit, { account }): Promise<NewCodesView> => {
        const { code } = await visit.body(confirmTotpBody);
        return { recoveryCodes: await ownFactors.confirmTotp(account, code) };
      },
      { ...always, ...confirmed },
    ),
    user("DELETE", "/me/totp", (_visit, me) => ownFactors.removeTotp(me), confirmed),

    user("POST", "/me/passkeys/options", (_visit, me) => ownFactors.addOptions(me.account), {
      ...always,
      ...confirmed,
    }),
    user(
      "POST",
      "/me/passkeys",
      async (visit, { account }): Promise<NewCodesView> => {
        const { passkey, name } = await visit.body(addPasskeyBody);
        return { recoveryCodes: await ownFactors.addPasskey(account, passkey, name) };
      },
      { ...always, ...confirmed },
    ),
    user(
      "PUT",
      "/me/passkeys/:id",
      async (visit, { account }) => {
        const { name } = await visit.body(renamePasskeyBody);
        await ownFactors.renamePasskey(account, visit.id, name);
      },
      confirmed,
    ),
    user("DELETE", "/me/passkeys/:id", (visit, me) => ownFactors.removePasskey(me, visit.id), confirmed),
    user(
      "POST",
      "/me/recovery-codes",
      async (_visit, { account }): Promise<NewCodesView> => ({
        recoveryCodes: await ownFactors.replaceCodes(account),
      }),
      confirmed,
    ),

    user("GET", "/me/sessions", async (_visit, me): Promise<{ sessions: SessionView[] }> => {
      const live = await sessions.listLive(me.account);
      const own = sessionId(me.session);
      return {
        sessions: live.map((session) => ({
          id: sessionId(session),
          device: session.device,
          method: session.method,
          createdAt: session.createdAt.toISOString(),
          lastSeenAt: session.lastSeenAt.toISOString(),
          isThisOne: sessionId(session) === own,
        })),
      };
    }),
    user("POST", "/me/sessions/:id/end", ({ id }, me) => ownAccount.endSession(me, id)),
    user("POST", "/me/sessions/end-others", (_visit, me) => ownAccount.endOtherSessions(me)),
  ];
}
