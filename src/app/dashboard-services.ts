/**
 * The parts behind the dashboard, created together since they share the store, the clock and the audit trail.
 * The composition root creates one and passes it to HTTP; `close` writes what is still in memory.
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
import type { Clock } from "../core/clock.js";
import { closeAll } from "../core/close-all.js";
import { ConnectionTests } from "../core/keys/connection-tests.js";
import { OwnKeys } from "../core/keys/own-keys.js";
import { Calendar } from "../core/limits/calendar.js";
import { MonthUse } from "../core/limits/month-use.js";
import { QuotaBook } from "../core/limits/quota-book.js";
import { quotaUse } from "../core/limits/quota-use.js";
import { QuotaWarnings } from "../core/limits/quota-warnings.js";
import { LastPrivacyCheck } from "../core/proof/privacy-check.js";
import { modelIds } from "../core/models.js";
import { Operator } from "../core/operator.js";
import type { CutTarget } from "../core/serving/completion.js";
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
import { StoreUnavailable } from "../core/store.js";
import { causeOf } from "../log.js";
import { machineNow } from "../models/files/disk-space.js";
import { databasePath } from "../store/sql/sqlite.js";
import { removeOldUpgradeCopies } from "../store/sql/upgrade-copy.js";
import { usageNotice, usageSpill } from "../store/usage-spill.js";
import type { Engines } from "./engines.js";
import { createFactors } from "./factor-services.js";
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

export type Dashboard = ReturnType<typeof createDashboard>;

export function createDashboard(
  context: Context,
  storage: Storage,
  { vault }: Pick<Proof, "vault">,
  { sessions, engines, publicUrl, cutStreams }: DashboardParts,
) {
  const { config, overrides, clock, log } = context;
  const { service, limits } = config;
  const { ownProcess } = overrides;
  const {
    signUp,
    signIn: signInMode,
    smtpUrl,
    mailFrom,
    usageRetentionDays,
    oidcProviders,
  } = config.accounts;
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
  const ownerName = () => operator.name;
  const { accounts } = store;
  const hash = overrides.hashPassword ?? hashPassword;
  const passwords = withBoundedQueue({ hash, verify: verifyPassword });
  const hooks = createWebhooks(context, store, vault, engines, reportError);
  const { audit, events, news } = hooks;
  const links = new OneTimeLinks(store.links, clock);
  const devices = new KnownDevices(store, clock);
  const signIn = new SignIn(accounts, passwords, devices, admissions, clock);
  const rates = new LiveRates(clock);
  const usage = new UsageRecorder({
    store: store.usage,
    rates,
    clock,
    reportError,
    spill: usageSpill(service.dataDir, ownProcess && { pid: process.pid, isFirst: ownProcess.isFirst }),
    onLeft: (left) => noteUsageLeft(left, context, storage),
  });
  const live = new LiveHour(clock, {
    load: () => engines.fleet.load(),
    machine: () => machineNow(service.dataDir),
    tokensPerSecond: () => rates.tokensPerSecond(modelIds),
  });
  const outcomes = new OutcomeRecorder({ store: store.service.outcomes, live, clock, reportError });
  const usageReports = new UsageReports(store, usage);
  const mailer = smtpUrl === undefined ? null : smtpMailer({ url: smtpUrl, from: mailFrom });
  const outbox = new Outbox(mailer, reportError);
  const used = quotaUse(store.quotas, usage);
  const calendar = new Calendar(limits.quotaTimezone);
  const monthUse = new MonthUse({ store: store.quotas, usage, clock, calendar });
  const quotaWarnings = new QuotaWarnings({
    store: store.quotas,
    used,
    recipients: (caller, meter) => quotaRecipients(store.teams, caller, meter),
    month: ({ account, plan }) => monthUse.ofAccount(account.id, plan),
    outbox,
    events,
    reportError,
    clock,
    ownerName,
    publicUrl,
  });
  const retentionDays = usageRetentionDays;
  const removeOldCopies = (now: Date) =>
    removeOldUpgradeCopies(databasePath(service.dataDir), config.storage.upgradeCopyDays, now);
  const housekeeping = new Housekeeping({
    ...{ store, sessions, clock, retentionDays, removeOldCopies, reportError },
  });
  const ownKeys = new OwnKeys({ store, keys, audit, clock, cutStreams });
  const timeoutMs = overrides.providerTimeoutMs ?? providerTimeoutMs;
  const oidcClient = lazyOidcClient({ clock, timeoutMs });
  const providers = new Providers(oidcProviders, vault, audit, reportError);
  const oidc = { store, providers, client: oidcClient, audit, clock, publicUrl };
  const teams = new Teams({ store: store.teams, keys, audit, clock });
  const forAccounts = {
    ...{ links, keys, usage, audit, events, outbox, sessions },
    ...{ ownerName, publicUrl, clock, cutStreams },
  };
  return {
    store,
    clock,
    outbox,
    signUpMode: signUp,
    signInMode,
    providers,
    oidcClient,
    singleSignOn: new SingleSignOn({
      ...oidc,
      ...{ signIn, signUp, keys, admissions },
      hasFactor: async (accountId) => {
        const { totpSince, passkeys } = await store.factors.summary(accountId);
        return totpSince !== null || passkeys.length > 0;
      },
    }),
    providerLogout: new ProviderLogout({ ...oidc, sessions, ownKeys }),
    ownIdentities: new OwnIdentities({ store, audit, mode: signInMode }),
    publicUrl,
    audit,
    sessions,
    devices,
    links,
    signIn,
    ...createFactors(context, storage, { sealed: vault, sessions, signIn, audit, ownerName, publicUrl }),
    signUp: new SignUp(store, passwords, audit, signUp, clock, admissions),
    passwordReset: new PasswordReset({
      accounts,
      store: store.links,
      links,
      passwords,
      audit,
      outbox,
      devices,
      admissions,
      clock,
      ownerName,
      publicUrl,
    }),
    ownEmail: new OwnEmail({
      store,
      links,
      keys,
      audit,
      outbox,
      admissions,
      clock,
      ownerName,
      publicUrl,
    }),
    operator,
    ownAccount: new OwnAccount({
      accounts,
      sessions,
      passwords,
      keys,
      usage,
      audit,
      events,
      cutStreams,
    }),
    ownKeys,
    connectionTests: new ConnectionTests(clock, counters.wakeUps.tests),
    accountAdmin: new AccountAdmin({ store, ...forAccounts }),
    invites: new Invites({ store, links, audit, outbox, signUp, ownerName, publicUrl, clock }),
    webhooks: hooks.webhooks,
    events,
    deliverer: hooks.deliverer,
    eventWatch: hooks.watch,
    news,
    drafts: new Drafts(store, news),
    usage,
    quotaUse: used,
    monthUse,
    quotaWarnings,
    usageReports,
    rates,
    live,
    outcomes,
    serviceUsage: new ServiceUsageReports({ store, usage, outcomes, reports: usageReports }),
    abuseAlerts: new AbuseAlerts({ store, usage, audit, clock }),
    checklist: new AdminChecklist(store),
    availability: new AvailabilityReports(store.service.outcomes, clock),
    privacyCheck: new LastPrivacyCheck(store, clock),
    teams,
    teamInvites: new TeamInvites({
      ...{ teams, store: store.teams, linkStore: store.links, links },
      ...{ audit, outbox, ownerName, publicUrl, admissions, clock },
    }),
    teamAdmin: new TeamAdmin({ store, keys, audit, clock }),
    teamUsage: new TeamUsage(store, usageReports),
    scim: createScim(store, forAccounts),
    close: () => {
      live.close();
      return closeAll([
        () => usage.close(),
        () => outcomes.close(),
        () => outbox.close(),
        () => housekeeping.close(),
        () => oidcClient.close(),
        () => hooks.close(),
      ]);
    },
  };
}

function noteUsageLeft(left: UsageLeft, { config, overrides, log }: Context, { database }: Storage): void {
  const { requests: count, promptTokens, completionTokens } = left;
  log.warn(left.outcome === "saved" ? "usage saved for the next start" : "usage lost", {
    ...{ count, promptTokens, completionTokens, cause: database.cause },
  });
  overrides.onNotice?.(usageNotice(left, config.service.dataDir));
}

/** Quotas that are kept by the parts above, which may be created later. */
export const quotaBook = (clock: Clock, zone: string, dashboard: () => Dashboard): QuotaBook =>
  new QuotaBook({
    clock,
    calendar: new Calendar(zone),
    used: (...given) => dashboard().quotaUse(...given),
    record: (used, options) => dashboard().usage.recordDay(used, options),
    onUse: (...given) => dashboard().quotaWarnings.note(...given),
  });
