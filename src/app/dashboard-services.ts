/**
 * The parts behind the dashboard, created together since they share the store, the clock and the audit trail.
 * Closing them writes what is still in memory.
 */
import { AccountAdmin } from "../core/accounts/account-admin.js";
import { Invites } from "../core/accounts/invites.js";
import { OwnAccount } from "../core/accounts/own-account.js";
import { OwnEmail } from "../core/accounts/own-email.js";
import { SignUp } from "../core/accounts/sign-up.js";
import { AbuseAlerts } from "../core/admin/abuse-alerts.js";
import { AvailabilityReports } from "../core/admin/availability.js";
import { AdminChecklist } from "../core/admin/checklist.js";
import { Housekeeping } from "../core/admin/housekeeping.js";
import { LiveHour } from "../core/admin/live-hour.js";
import { Drafts } from "../core/admin/drafts.js";
import { OutcomeRecorder } from "../core/admin/outcome-recorder.js";
import { ServiceUsageReports } from "../core/admin/service-report.js";
import { AuthenticatorApp } from "../core/factors/authenticator-app.js";
import { FactorProofs } from "../core/factors/factor-proofs.js";
import { OwnFactors } from "../core/factors/own-factors.js";
import { Passkeys } from "../core/factors/passkeys.js";
import { RecoveryCodes } from "../core/factors/recovery-codes.js";
import { relyingPartyOf } from "../core/factors/relying-party.js";
import { FactorRequirement } from "../core/factors/requirement.js";
import { SecondStep } from "../core/factors/second-step.js";
import { ConnectionTests } from "../core/keys/connection-tests.js";
import { OwnKeys } from "../core/keys/own-keys.js";
import { Calendar } from "../core/limits/calendar.js";
import { MonthUse } from "../core/limits/month-use.js";
import { QuotaBook, quotaUse } from "../core/limits/quota-book.js";
import { QuotaWarnings } from "../core/limits/quota-warnings.js";
import { LastPrivacyCheck } from "../core/proof/privacy-check.js";
import { modelIds } from "../core/models.js";
import { Operator } from "../core/operator.js";
import type { CutTarget } from "../core/serving/running.js";
import { KnownDevices } from "../core/sign-in/known-devices.js";
import { OneTimeLinks } from "../core/sign-in/one-time-links.js";
import { Outbox } from "../core/sign-in/outbox.js";
import { withBoundedQueue } from "../core/sign-in/password-queue.js";
import { PasswordReset } from "../core/sign-in/password-reset.js";
import type { Sessions } from "../core/sign-in/sessions.js";
import { SignIn } from "../core/sign-in/sign-in.js";
import { OwnIdentities } from "../core/single-sign-on/own-identities.js";
import { ProviderLogout } from "../core/single-sign-on/provider-logout.js";
import { Providers } from "../core/single-sign-on/providers.js";
import { SingleSignOn } from "../core/single-sign-on/single-sign-on.js";
import { LiveRates } from "../core/usage/live-rates.js";
import { type UsageLeft, UsageRecorder } from "../core/usage/usage-recorder.js";
import { UsageReports } from "../core/usage/usage-report.js";
import { quotaRecipients } from "../core/teams/quota-recipients.js";
import { TeamAdmin } from "../core/teams/team-admin.js";
import { TeamInvites } from "../core/teams/team-invites.js";
import { TeamUsage } from "../core/teams/team-usage.js";
import { Teams } from "../core/teams/teams.js";
import { lazyOidcClient } from "../adapters/oidc/lazy-client.js";
import { hashPassword, verifyPassword } from "../adapters/password-hash.js";
import { smtpMailer } from "../adapters/smtp.js";
import { totpCodes } from "../adapters/totp.js";
import { webAuthn } from "../adapters/webauthn.js";
import { StoreUnavailable } from "../core/store.js";
import { causeOf } from "../log.js";
import { machineNow } from "../models/files/disk-space.js";
import { databasePath } from "../store/sql/sqlite.js";
import { removeOldUpgradeCopies } from "../store/sql/upgrade-copy.js";
import { usageNotice, usageSpill } from "../store/usage-spill.js";
import type { Engines } from "./engines.js";
import type { Context } from "./overrides.js";
import type { Proof } from "./proof.js";
import { createScim } from "./scim-services.js";
import type { Storage } from "./storage.js";
import { createWebhooks } from "./webhooks.js";

/** For each request to an identity provider, while someone waits. */
const providerTimeoutMs = 5_000;

/** What the other stages of a start give it. */
export interface DashboardParts {
  sessions: Sessions;
  engines: Engines;
  /** Where people reach the service, without a slash at the end; read when a mail is written. */
  publicUrl: () => string;
  /** Ends the running replies of a key or an account. */
  cutStreams: (target: CutTarget) => void;
}

export function createDashboard(
  context: Context,
  storage: Storage,
  { vault }: Pick<Proof, "vault">,
  { sessions, engines, publicUrl, cutStreams }: DashboardParts,
) {
  const { config, overrides, clock, log, closers } = context;
  const { service } = config;
  const { ownProcess } = overrides;
  const { signUp, signIn: mode, smtpUrl, mailFrom, oidcProviders, ...settings } = config.accounts;
  const { store, keys, counters } = storage;
  const { admissions } = counters;
  const reportError = (error: unknown) => {
    if (error instanceof StoreUnavailable)
      log.warn("database query failed, to be tried again", { cause: causeOf(error) });
    else log.unexpected(error);
  };
  const operator = new Operator(store, service.ownerName);
  // Until it is known, the program's name stands in.
  operator.read().catch(reportError);
  const hash = overrides.hashPassword ?? hashPassword;
  const hooks = createWebhooks(context, store, vault, engines, reportError);
  const { audit, news } = hooks;
  const rates = new LiveRates(clock);
  const usage = closers.add(
    new UsageRecorder({
      ...{ store: store.usage, rates, clock, reportError },
      spill: usageSpill(service.dataDir, ownProcess && { pid: process.pid, isFirst: ownProcess.isFirst }),
      onLeft: (left) => noteUsageLeft(left, context, storage),
    }),
  );
  const mailer = smtpUrl === undefined ? null : smtpMailer({ url: smtpUrl, from: mailFrom });
  // Each part takes what it needs of it.
  const shared = {
    ...{ store, accounts: store.accounts, keys, clock, admissions, reportError },
    ...{ sessions, audit, events: hooks.events, usage, publicUrl, cutStreams },
    ownerName: () => operator.name,
    passwords: withBoundedQueue({ hash, verify: verifyPassword }),
    links: new OneTimeLinks(store.links, clock),
    devices: new KnownDevices(store, clock),
    outbox: closers.add(new Outbox(mailer, reportError)),
  };
  const { passwords, devices } = shared;
  const signIn = new SignIn(store.accounts, passwords, devices, admissions, clock);
  const live = closers.add(
    new LiveHour(clock, {
      load: () => engines.fleet.load(),
      machine: () => machineNow(service.dataDir),
      tokensPerSecond: () => rates.tokensPerSecond(modelIds),
    }),
  );
  const outcomes = closers.add(new OutcomeRecorder({ ...shared, store: store.service.outcomes, live }));
  const usageReports = new UsageReports(store, usage);
  const used = quotaUse(store.quotas, usage);
  const calendar = new Calendar(config.limits.quotaTimezone);
  const monthUse = new MonthUse({ ...shared, store: store.quotas, calendar });
  const quotaWarnings = new QuotaWarnings({
    ...shared,
    ...{ store: store.quotas, used },
    recipients: (caller, meter) => quotaRecipients(store.teams, caller, meter),
    month: ({ account, plan }) => monthUse.ofAccount(account.id, plan),
  });
  const housekeeping = closers.add(
    new Housekeeping({
      ...shared,
      retentionDays: settings.usageRetentionDays,
      removeOldCopies: (now) =>
        removeOldUpgradeCopies(databasePath(service.dataDir), config.storage.upgradeCopyDays, now),
    }),
  );
  const ownKeys = new OwnKeys(shared);
  const timeoutMs = overrides.providerTimeoutMs ?? providerTimeoutMs;
  const oidcClient = closers.add(lazyOidcClient({ clock, timeoutMs }));
  const providers = new Providers(oidcProviders, vault, audit, reportError);
  const oidc = { ...shared, providers, client: oidcClient };
  const teams = new Teams({ ...shared, store: store.teams });
  const ofFactors = { ...shared, store: store.factors, steps: store.signInSteps };
  const passkeyParty = () => relyingPartyOf(publicUrl());
  const requirement = new FactorRequirement(store, clock, {
    requiredFor: settings.secondFactor,
    graceDays: settings.secondFactorGraceDays,
  });
  const app = new AuthenticatorApp({ ...ofFactors, codes: totpCodes, sealed: vault });
  const recovery = new RecoveryCodes(store.factors);
  const passkeys = new Passkeys({ ...ofFactors, webAuthn, party: passkeyParty });
  const proofs = new FactorProofs(app, recovery, passkeys, audit, admissions, clock);
  return {
    ...shared,
    ...hooks,
    housekeeping,
    signUpMode: signUp,
    signInMode: mode,
    signIn,
    passkeys,
    passkeyParty,
    factorRequirement: requirement,
    secondStep: new SecondStep({ ...ofFactors, proofs, passkeys }),
    ownFactors: new OwnFactors({ ...ofFactors, app, passkeys, recovery, proofs, requirement, signIn }),
    providers,
    oidcClient,
    singleSignOn: new SingleSignOn({
      ...oidc,
      ...{ signIn, signUp },
      hasFactor: async (accountId) => {
        const { totpSince, passkeys } = await store.factors.summary(accountId);
        return totpSince !== null || passkeys.length > 0;
      },
    }),
    providerLogout: new ProviderLogout({ ...oidc, ownKeys }),
    ownIdentities: new OwnIdentities({ store, audit, mode }),
    signUp: new SignUp(store, passwords, audit, signUp, clock, admissions),
    passwordReset: new PasswordReset({ ...shared, store: store.links }),
    ownEmail: new OwnEmail(shared),
    operator,
    ownAccount: new OwnAccount(shared),
    ownKeys,
    connectionTests: new ConnectionTests(clock, counters.wakeUps.tests),
    accountAdmin: new AccountAdmin(shared),
    invites: new Invites({ ...shared, signUp }),
    drafts: new Drafts(store, news),
    quotas: new QuotaBook({
      ...{ clock, calendar, used },
      record: (day, options) => usage.recordDay(day, options),
      onUse: (...given) => quotaWarnings.note(...given),
    }),
    monthUse,
    usageReports,
    rates,
    live,
    outcomes,
    serviceUsage: new ServiceUsageReports({ store, usage, outcomes, reports: usageReports }),
    abuseAlerts: new AbuseAlerts(shared),
    checklist: new AdminChecklist(store),
    availability: new AvailabilityReports(store.service.outcomes, clock),
    privacyCheck: new LastPrivacyCheck(store, clock),
    teams,
    teamInvites: new TeamInvites({ ...shared, teams, store: store.teams, linkStore: store.links }),
    teamAdmin: new TeamAdmin(shared),
    teamUsage: new TeamUsage(store, usageReports),
    scim: createScim(store, shared),
  };
}

function noteUsageLeft(left: UsageLeft, { config, overrides, log }: Context, { database }: Storage): void {
  const { requests: count, promptTokens, completionTokens } = left;
  log.warn(left.outcome === "saved" ? "usage saved for the next start" : "usage lost", {
    ...{ count, promptTokens, completionTokens, cause: database.cause },
  });
  overrides.onNotice?.(usageNotice(left, config.service.dataDir));
}
