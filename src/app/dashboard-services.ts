/**
 * The parts behind the dashboard, created together since they share the store, the clock and the audit trail.
 * The composition root creates one and passes it to HTTP; `close` writes what is still in memory.
 */
import { AccountAdmin } from "../core/accounts/account-admin.js";
import { Invites } from "../core/accounts/invites.js";
import { OwnAccount } from "../core/accounts/own-account.js";
import { OwnEmail } from "../core/accounts/own-email.js";
import type { SignUpMode } from "../core/accounts/sign-up-mode.js";
import { SignUp } from "../core/accounts/sign-up.js";
import { AbuseAlerts } from "../core/admin/abuse-alerts.js";
import { AvailabilityReports } from "../core/admin/availability.js";
import { AdminChecklist } from "../core/admin/checklist.js";
import { Housekeeping } from "../core/admin/housekeeping.js";
import { LiveHour, type LiveSources } from "../core/admin/live-hour.js";
import { Drafts } from "../core/admin/drafts.js";
import { OutcomeRecorder } from "../core/admin/outcome-recorder.js";
import { ServiceUsageReports } from "../core/admin/service-report.js";
import type { Clock } from "../core/clock.js";
import { closeAll } from "../core/close-all.js";
import type { Admissions } from "../core/counters.js";
import { ConnectionTests, type OtherReplicas } from "../core/keys/connection-tests.js";
import type { KeyRing } from "../core/keys/key-ring.js";
import { OwnKeys } from "../core/keys/own-keys.js";
import { Calendar } from "../core/limits/calendar.js";
import { MonthUse } from "../core/limits/month-use.js";
import { QuotaBook } from "../core/limits/quota-book.js";
import { quotaUse } from "../core/limits/quota-use.js";
import { QuotaWarnings } from "../core/limits/quota-warnings.js";
import { LastPrivacyCheck } from "../core/proof/privacy-check.js";
import type { SealedSettings } from "../core/proof/sealed-settings.js";
import { modelIds } from "../core/models.js";
import { Operator } from "../core/operator.js";
import { ScimGroups } from "../core/scim/scim-groups.js";
import { ScimUsers } from "../core/scim/scim-users.js";
import type { CutTarget } from "../core/serving/completion.js";
import { KnownDevices } from "../core/sign-in/known-devices.js";
import type { Mailer } from "../core/sign-in/mail.js";
import { OneTimeLinks } from "../core/sign-in/one-time-links.js";
import { Outbox } from "../core/sign-in/outbox.js";
import { type Passwords, withBoundedQueue } from "../core/sign-in/password-queue.js";
import { PasswordReset } from "../core/sign-in/password-reset.js";
import type { Sessions } from "../core/sign-in/sessions.js";
import { SignIn } from "../core/sign-in/sign-in.js";
import { OwnIdentities, type SignInMode } from "../core/single-sign-on/own-identities.js";
import type { OidcClient } from "../core/single-sign-on/ports.js";
import { ProviderLogout } from "../core/single-sign-on/provider-logout.js";
import type { Provider } from "../core/single-sign-on/provider.js";
import { Providers } from "../core/single-sign-on/providers.js";
import { SingleSignOn } from "../core/single-sign-on/single-sign-on.js";
import { LiveRates } from "../core/usage/live-rates.js";
import type { UsageSpill } from "../core/usage/ports.js";
import { type UsageLeft, UsageRecorder } from "../core/usage/usage-recorder.js";
import { UsageReports } from "../core/usage/usage-report.js";
import { quotaRecipients } from "../core/teams/quota-recipients.js";
import { TeamAdmin } from "../core/teams/team-admin.js";
import { TeamInvites } from "../core/teams/team-invites.js";
import { TeamUsage } from "../core/teams/team-usage.js";
import { Teams } from "../core/teams/teams.js";
import type { FullStore } from "../store/full-store.js";
import { createFactors, type FactorOptions } from "./factor-services.js";
import { createWebhooks, type WebhookOptions } from "./webhooks.js";

export interface DashboardOptions {
  store: FullStore;
  sessions: Sessions;
  clock: Clock;
  /** For throttles; may be those that limits use. */
  admissions: Admissions;
  keys: KeyRing;
  /** For connection tests; null where there are none. */
  otherReplicas: OtherReplicas | null;
  passwords: Passwords;
  /** Null when no mail server is configured. */
  mailer: Mailer | null;
  signUp: SignUpMode;
  /** Who must have a second factor, as configured. */
  requiredFactor: FactorOptions["required"];
  /** Null where secrets were sealed under another service key. */
  sealed: SealedSettings | null;
  signIn: SignInMode;
  /** Identity providers of the configuration. */
  configuredProviders: readonly Provider[];
  /** Where those that admins add are kept. */
  vault: SealedSettings;
  oidcClient: OidcClient;
  retentionDays: number;
  removeOldCopies: (now: Date) => void;
  configuredOwnerName: string | undefined;
  /** Whose days and months quotas follow. */
  quotaZone: string;
  /** Where people reach the service, without a slash at the end; read when a mail is written. */
  publicUrl: () => string;
  /** Ends the running replies of a key or an account. */
  cutStreams: (target: CutTarget) => void;
  /** Called with errors of background work. */
  reportError: (error: unknown) => void;
  /** Where counts wait when the server ends before they are in the store. */
  usageSpill?: UsageSpill;
  /** What the admin page shows of this process. */
  live: Pick<LiveSources, "load" | "machine">;
  onUsageLeft?: (left: UsageLeft) => void;
  webhooks: Omit<WebhookOptions, "store" | "clock" | "reportError">;
}

export type Dashboard = ReturnType<typeof createDashboard>;

export function createDashboard(options: DashboardOptions) {
  const { store, sessions, clock, admissions, keys, cutStreams, publicUrl, reportError } = options;
  const operator = new Operator(store, options.configuredOwnerName);
  // Until it is known, the program's name stands in.
  operator.read().catch(reportError);
  const ownerName = () => operator.name;
  const { accounts } = store;
  const passwords = withBoundedQueue(options.passwords);
  const hooks = createWebhooks({ ...options.webhooks, store, clock, reportError });
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
    spill: options.usageSpill,
    onLeft: options.onUsageLeft,
  });
  const live = new LiveHour(clock, {
    ...options.live,
    tokensPerSecond: () => rates.tokensPerSecond(modelIds),
  });
  const outcomes = new OutcomeRecorder({ store: store.service.outcomes, live, clock, reportError });
  const usageReports = new UsageReports(store, usage);
  const outbox = new Outbox(options.mailer, reportError);
  const used = quotaUse(store.quotas, usage);
  const calendar = new Calendar(options.quotaZone);
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
  const { retentionDays, removeOldCopies, signUp } = options;
  const housekeeping = new Housekeeping({
    ...{ store, sessions, clock, retentionDays, removeOldCopies, reportError },
  });
  const ownKeys = new OwnKeys({ store, keys, audit, clock, cutStreams });
  const { oidcClient, configuredProviders, vault, signIn: signInMode } = options;
  const providers = new Providers(configuredProviders, vault, audit, reportError);
  const oidc = { store, providers, client: oidcClient, audit, clock, publicUrl };
  const teams = new Teams({ store: store.teams, keys, audit, clock });
  const teamAdmin = new TeamAdmin({ store, keys, audit, clock });
  const accountAdmin = new AccountAdmin({
    ...{ store, links, keys, usage, audit, events, outbox, sessions },
    ...{ ownerName, publicUrl, clock, cutStreams },
  });
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
    ...createFactors({
      ...{ store, sealed: options.sealed, sessions, signIn, audit, admissions, clock, ownerName, publicUrl },
      required: options.requiredFactor,
    }),
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
    connectionTests: new ConnectionTests(clock, options.otherReplicas),
    accountAdmin,
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
    teamAdmin,
    teamUsage: new TeamUsage(store, usageReports),
    scimUsers: new ScimUsers({ store, accountAdmin, keys, audit, clock }),
    scimGroups: new ScimGroups({ store, teamAdmin }),
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

/** Quotas that are kept by the parts above, which may be created later. */
export const quotaBook = (clock: Clock, zone: string, dashboard: () => Dashboard): QuotaBook =>
  new QuotaBook({
    clock,
    calendar: new Calendar(zone),
    used: (...given) => dashboard().quotaUse(...given),
    record: (used, options) => dashboard().usage.recordDay(used, options),
    onUse: (...given) => dashboard().quotaWarnings.note(...given),
  });
