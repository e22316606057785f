/** Signing up, in and out, and the pages that one-time links lead to. */
import type { Confirmed } from "../../core/accounts/own-email.js";
import { deviceLifeMs } from "../../core/sign-in/known-devices.js";
import { signInByLink } from "../../core/sign-in/one-time-links.js";
import type { Account } from "../../core/entities.js";
import {
  confirmBody,
  resetBody,
  resetRequestBody,
  setupBody,
  signInBody,
  signInLinkBody,
  signUpBody,
  type Me,
} from "../../protocol/dashboard/api.js";
import type { DashboardParts } from "./parts.js";
import { anyone, user, type DashboardRoute } from "./route.js";
import { meView } from "./views.js";
import type { Visit } from "./guard/visit.js";

export function signInRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { store, clock, devices, signIn, signUp, passwordReset, ownAccount, ownEmail, operator, audit } =
    dashboard;

  const welcome = async (visit: Visit, account: Account): Promise<Me> => {
    await visit.signIn(account.id);
    const device = await devices.remember(visit.device, account.email);
    visit.rememberDevice(device, new Date(clock.now().getTime() + deviceLifeMs));
    const plan = await store.findPlan(account.planId);
    if (plan === null) throw new Error("An account is always on a plan that exists.");
    return meView({ account, plan });
  };

  return [
    anyone("POST", "/sign-up", async (visit) => {
      const request = await visit.body(signUpBody);
      const account = await signUp.signUp(request, visit.network);
      ownEmail.mailVerification(account);
      return welcome(visit, account);
    }),
    anyone("POST", "/sign-in", async (visit) => {
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
      const { email } = await visit.body(resetRequestBody);
      await passwordReset.request(email, visit);
    }),
    anyone("POST", "/reset", async (visit) => {
      const { token, password } = await visit.body(resetBody);
      return welcome(visit, await passwordReset.reset(token, password));
    }),
    anyone("POST", "/confirm", async (visit): Promise<Confirmed> => {
      const { token } = await visit.body(confirmBody);
      return ownEmail.confirm(token);
    }),
    anyone("POST", "/sign-out", (visit) => visit.signOut()),
    user("POST", "/sign-out-everywhere", async (visit, me) => {
      await ownAccount.signOutEverywhere(me);
      await visit.signOut();
    }),
  ];
}
