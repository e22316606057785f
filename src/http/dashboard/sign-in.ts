/** Signing up, in and out, and the two pages that one-time links lead to. */
import { deviceLifeMs } from "../../core/sign-in/known-devices.js";
import type { Account } from "../../core/entities.js";
import {
  resetBody,
  resetRequestBody,
  setupBody,
  signInBody,
  signUpBody,
  type Me,
} from "../../protocol/dashboard/api.js";
import type { DashboardParts } from "./parts.js";
import { anyone, user, type DashboardRoute } from "./route.js";
import { meView } from "./views.js";
import type { Visit } from "./guard/visit.js";

export function signInRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { store, clock, devices, signIn, signUp, passwordReset, ownAccount } = dashboard;

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
      return welcome(visit, await signUp.signUp(request, visit.network));
    }),
    anyone("POST", "/sign-in", async (visit) => {
      const { email, password } = await visit.body(signInBody);
      return welcome(visit, await signIn.signIn(email, password, visit));
    }),
    anyone("POST", "/setup", async (visit) => {
      const { token, email, password } = await visit.body(setupBody);
      return welcome(visit, await signUp.setUp(token, email, password));
    }),
    anyone("POST", "/reset/request", async (visit) => {
      const { email } = await visit.body(resetRequestBody);
      await passwordReset.request(email, visit);
      return {};
    }),
    anyone("POST", "/reset", async (visit) => {
      const { token, password } = await visit.body(resetBody);
      return welcome(visit, await passwordReset.reset(token, password));
    }),
    anyone("POST", "/sign-out", async (visit) => {
      await visit.signOut();
      return {};
    }),
    user("POST", "/sign-out-everywhere", async (visit, me) => {
      await ownAccount.signOutEverywhere(me);
      await visit.signOut();
      return {};
    }),
  ];
}
