/** One's own second factors and sessions, confirming who one is, and who must have a second factor. */
import { passkeyName } from "../../core/factors/passkeys.js";
import { sessionId } from "../../core/sign-in/sessions.js";
import {
  addPasskeyBody,
  confirmIdentityBody,
  confirmTotpBody,
  renamePasskeyBody,
  requirementBody,
  type FactorsView,
  type NewCodesView,
  type SessionView,
} from "../../protocol/dashboard/factors.js";
import { fieldsInJson } from "../../protocol/dashboard/in-json.js";
import type { DashboardParts } from "./parts.js";
import { admin, confirmed, user, type DashboardRoute } from "./route.js";

/** Possible for someone who must add a second factor first. */
const always = { beforeEnrolment: true };
const alwaysConfirmed = { ...always, ...confirmed };

export function factorRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { ownFactors, ownIdentities, ownAccount, sessions, factorRequirement, audit } = dashboard;
  return [
    user("GET", "/me/factors", always, async (_visit, me): Promise<FactorsView> => {
      const { totpSince, passkeys, recoveryCodes } = await ownFactors.summary(me.account);
      const { hasPassword, identities } = await ownIdentities.list(me);
      return {
        totpSince: totpSince?.toISOString() ?? null,
        passkeys: passkeys.map((passkey) => ({
          ...fieldsInJson(passkey, "name", "isSynced", "createdAt", "lastUsedAt"),
          id: passkeyName(passkey),
        })),
        recoveryCodes,
        hasPassword,
        providers: identities.map(({ providerId }) => providerId),
      };
    }),
    user("POST", "/me/confirm", always, async (visit, me) =>
      ownFactors.confirm(me, await visit.body(confirmIdentityBody)),
    ),
    user("POST", "/me/confirm/passkey", always, (_visit, me) => ownFactors.confirmOptions(me.account)),

    user("POST", "/me/totp", alwaysConfirmed, (_visit, me) => ownFactors.beginTotp(me.account)),
    user("POST", "/me/totp/confirm", alwaysConfirmed, async (visit, { account }): Promise<NewCodesView> => {
      const { code } = await visit.body(confirmTotpBody);
      return { recoveryCodes: await ownFactors.confirmTotp(account, code) };
    }),
    user("DELETE", "/me/totp", confirmed, (_visit, me) => ownFactors.removeTotp(me)),

    user("POST", "/me/passkeys/options", alwaysConfirmed, (_visit, me) => ownFactors.addOptions(me.account)),
    user("POST", "/me/passkeys", alwaysConfirmed, async (visit, { account }): Promise<NewCodesView> => {
      const { passkey, name } = await visit.body(addPasskeyBody);
      return { recoveryCodes: await ownFactors.addPasskey(account, passkey, name) };
    }),
    user("PUT", "/me/passkeys/:id", confirmed, async (visit, { account }) => {
      const { name } = await visit.body(renamePasskeyBody);
      await ownFactors.renamePasskey(account, visit.id, name);
    }),
    user("DELETE", "/me/passkeys/:id", confirmed, (visit, me) => ownFactors.removePasskey(me, visit.id)),
    user("POST", "/me/recovery-codes", confirmed, async (_visit, { account }): Promise<NewCodesView> => ({
      recoveryCodes: await ownFactors.replaceCodes(account),
    })),

    user("GET", "/me/sessions", async (_visit, me): Promise<{ sessions: SessionView[] }> => {
      const live = await sessions.listLive(me.account);
      const own = sessionId(me.session);
      return {
        sessions: live.map((session) => ({
          ...fieldsInJson(session, "device", "method", "createdAt", "lastSeenAt"),
          id: sessionId(session),
          isThisOne: sessionId(session) === own,
        })),
      };
    }),
    user("POST", "/me/sessions/:id/end", ({ id }, me) => ownAccount.endSession(me, id)),
    user("POST", "/me/sessions/end-others", (_visit, me) => ownAccount.endOtherSessions(me)),

    admin("GET", "/admin/second-factor", () => factorRequirement.read()),
    admin("PUT", "/admin/second-factor", confirmed, async (visit, actor) =>
      factorRequirement.save(audit, actor, await visit.body(requirementBody)),
    ),
  ];
}
