/** Signing up, in and out, and the pages that one-time links lead to. */
import type { Confirmed } from "../../core/accounts/own-email.js";
import { DashboardError } from "../../core/dashboard-error.js";
import { signInByLink } from "../../core/sign-in/one-time-links.js";
import { tokenHash } from "../../core/sign-in/secret-token.js";
import type { SignInMode } from "../../core/single-sign-on/own-identities.js";
import type { Account } from "../../core/entities.js";
import {
  confirmBody,
  resetBody,
  resetRequestBody,
  setupBody,
  signInBody,
  signInLinkBody,
  signUpBody,
  type SignedOut,
} from "../../protocol/dashboard/api.js";
import type { DashboardParts } from "./parts.js";
import { anyone, user, type DashboardRoute } from "./route.js";
import type { Visit } from "./guard/visit.js";
import { welcome as welcomeIn } from "./welcome.js";

export function signInRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { store, clock, signIn, signUp, passwordReset, ownAccount, ownEmail, operator, audit } = dashboard;

  const welcome = (visit: Visit, account: Account) => welcomeIn(dashboard, visit, account);
  const requirePasswords = () => requirePasswordMode(dashboard.signInMode);

  return [
    anyone("POST", "/sign-up", async (visit) => {
      requirePasswords();
      const request = await visit.body(signUpBody);
      const account = await signUp.signUp(request, visit.network);
      ownEmail.mailVerification(account);
      return welcome(visit, account);
    }),
    anyone("POST", "/sign-in", async (visit) => {
      requirePasswords();
      const { email, password } = await visit.body(signInBody);
      return welcome(visit, await signIn.signIn(email, password, visit));
    }),
    anyone("POST", "/sign-in/link", async (visit) => {
      const { token } = await visit.body(signInLinkBody);
      const account = await signInByLink({ links: store.links, audit, clock }, token);
      return welcome(visit, account);
    }),
    anyone("POST", "/setup", async (visit) => {
      const { token, email, password, name = null, contact = null } = await visit.body(setupBody);
      operator.check({ contact });
      const account = await signUp.setUp(token, email, password);
      if (name !== null || contact !== null)
        await operator.save(audit, { accountId: account.id }, { name, contact });
      ownEmail.mailVerification(account);
      return welcome(visit, account);
    }),
    anyone("POST", "/reset/request", async (visit) => {
      requirePasswords();
      const { email } = await visit.body(resetRequestBody);
      await passwordReset.request(email, visit);
    }),
    anyone("POST", "/reset", async (visit) => {
      requirePasswords();
      const { token, password } = await visit.body(resetBody);
      return welcome(visit, await passwordReset.reset(token, password));
    }),
    anyone("POST", "/confirm", async (visit): Promise<Confirmed> => {
      const { token } = await visit.body(confirmBody);
      return ownEmail.confirm(token);
    }),
    anyone("POST", "/sign-out", async (visit): Promise<SignedOut> => {
      const hash = visit.sessionToken === null ? null : tokenHash(visit.sessionToken);
      const next = hash === null ? null : await dashboard.providerLogout.signOutUrl(hash);
      await visit.signOut();
      return { next };
    }),
    user("POST", "/sign-out-everywhere", async (visit, me) => {
      await ownAccount.signOutEverywhere(me);
      await visit.signOut();
    }),
  ];
}

/** Refuses what only passwords are for where people sign in with identity providers. */
export function requirePasswordMode(mode: SignInMode): void {
  if (mode === "all") return;
  throw new DashboardError("forbidden", "People sign in here with an identity provider, not with passwords.");
}
