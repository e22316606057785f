/** Signing up, in and out, and the pages that one-time links lead to. */
import type { Confirmed } from "../../core/accounts/own-email.js";
import { DashboardError } from "../../core/dashboard-error.js";
import { deviceLifeMs } from "../../core/sign-in/known-devices.js";
import { signInByLink } from "../../core/sign-in/one-time-links.js";
import type { SessionMethod, SessionOrigin, SessionRecord } from "../../core/sign-in/ports.js";
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
  type Me,
  type SignedOut,
} from "../../protocol/dashboard/api.js";
import {
  passkeySignInBody,
  secondFactorBody,
  type Entry,
  type Recovered,
  type SecondStepView,
} from "../../protocol/dashboard/factors.js";
import type { DashboardParts } from "./parts.js";
import { anyone, user, type DashboardRoute } from "./route.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardServices } from "./services.js";
import { meView } from "./views.js";

export function signInRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { store, clock, signIn, signUp, passwordReset, ownAccount, ownEmail, operator, audit } = dashboard;
  const { secondStep, passkeys } = dashboard;

  const welcome = async (visit: Visit, account: Account, method: SessionMethod = "password") =>
    meView(dashboard, await startSession(dashboard, visit, account, method));
  const requirePasswords = () => requirePasswordMode(dashboard.signInMode);

  /** For someone whose password is right: null where that is enough. */
  const askForFactor = async (visit: Visit, account: Account): Promise<SecondStepView | null> => {
    const step = await secondStep.begin(account);
    if (step === null) return null;
    visit.step.set(step.token, step.expiresAt);
    return { next: "second_factor", methods: step.methods };
  };

  return [
    anyone("POST", "/sign-up", async (visit) => {
      requirePasswords();
      const request = await visit.body(signUpBody);
      const account = await signUp.signUp(request, visit.network);
      ownEmail.mailVerification(account);
      return welcome(visit, account);
    }),
    anyone("POST", "/sign-in", async (visit): Promise<Entry> => {
      requirePasswords();
      const { email, password } = await visit.body(signInBody);
      const account = await signIn.checkPassword(email, password, visit);
      const step = await askForFactor(visit, account);
      if (step !== null) return step;
      await audit.record({ accountId: account.id }, "signed in", account.id);
      return welcome(visit, account);
    }),
    anyone("POST", "/sign-in/second-factor", async (visit): Promise<Me & Recovered> => {
      const proof = await visit.body(secondFactorBody);
      const { account, recoveryCodesLeft } = await secondStep.finish(visit.step.value, proof);
      return { ...(await welcome(visit, account)), recoveryCodesLeft };
    }),
    anyone("POST", "/sign-in/second-factor/passkey", (visit) => secondStep.passkeyOptions(visit.step.value)),
    anyone("POST", "/sign-in/passkey/options", async (visit) => {
      requirePasswords();
      return passkeys.signInOptions(visit.network);
    }),
    anyone("POST", "/sign-in/passkey", async (visit) => {
      requirePasswords();
      const { passkey } = await visit.body(passkeySignInBody);
      const account = await passkeys.signIn(passkey);
      await audit.record({ accountId: account.id }, "signed in", account.id);
      return welcome(visit, account, "passkey");
    }),
    anyone("POST", "/sign-in/link", async (visit) => {
      const { token } = await visit.body(signInLinkBody);
      const account = await signInByLink({ links: store.links, audit, clock }, token);
      return welcome(visit, account, "link");
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
    anyone("POST", "/reset", async (visit): Promise<Entry> => {
      requirePasswords();
      const { token, password } = await visit.body(resetBody);
      const account = await passwordReset.reset(token, password);
      return (await askForFactor(visit, account)) ?? welcome(visit, account);
    }),
    anyone("POST", "/confirm", async (visit): Promise<Confirmed> => {
      const { token } = await visit.body(confirmBody);
      return ownEmail.confirm(token);
    }),
    anyone("POST", "/sign-out", async (visit): Promise<SignedOut> => {
      const { value } = visit.session;
      const hash = value === null ? null : tokenHash(value);
      const next = hash === null ? null : await dashboard.providerLogout.signOutUrl(hash);
      await visit.signOut();
      return { next };
    }),
    user("POST", "/sign-out-everywhere", { beforeEnrolment: true }, async (visit, me) => {
      await ownAccount.signOutEverywhere(me);
      await visit.signOut();
    }),
  ];
}

/** Where people sign in with identity providers, refuses passwords, and passkeys, which no provider could take away. */
export function requirePasswordMode(mode: SignInMode): void {
  if (mode === "all") return;
  throw new DashboardError("forbidden", "People sign in here with an identity provider only.");
}

/** In a browser whose owner has proven who they are. */
export async function startSession(
  { clock, devices }: Pick<DashboardServices, "clock" | "devices">,
  visit: Visit,
  account: Account,
  method: SessionMethod,
  origin: SessionOrigin | null = null,
): Promise<SessionRecord> {
  const me = await visit.signIn(account.id, method, origin);
  const device = await devices.remember(visit.device, account.email);
  visit.knownDevice.set(device, new Date(clock.now().getTime() + deviceLifeMs));
  return me;
}
