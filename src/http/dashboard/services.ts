/** The parts of the core that the dashboard's routes call. The composition root creates them. */
import type { AccountAdmin } from "../../core/accounts/account-admin.js";
import type { Invites } from "../../core/accounts/invites.js";
import type { OwnAccount } from "../../core/accounts/own-account.js";
import type { AccountStore, StoredStore } from "../../core/accounts/ports.js";
import type { SignUp } from "../../core/accounts/sign-up.js";
import type { AvailabilityReports } from "../../core/admin/availability.js";
import type { AdminChecklist } from "../../core/admin/checklist.js";
import type { LiveHour } from "../../core/admin/live-hour.js";
import type { News } from "../../core/admin/news.js";
import type { ServiceUsageReports } from "../../core/admin/service-report.js";
import type { Audit } from "../../core/audit.js";
import type { Clock } from "../../core/clock.js";
import type { OwnKeys } from "../../core/keys/own-keys.js";
import type { KnownDevices } from "../../core/sign-in/known-devices.js";
import type { Outbox } from "../../core/sign-in/outbox.js";
import type { PasswordReset } from "../../core/sign-in/password-reset.js";
import type { Sessions } from "../../core/sign-in/sessions.js";
import type { SignIn } from "../../core/sign-in/sign-in.js";
import type { Store } from "../../core/store.js";
import type { LiveRates } from "../../core/usage/live-rates.js";
import type { UsageReports } from "../../core/usage/usage-report.js";
import type { SignUpMode } from "../../core/accounts/sign-up-mode.js";

export interface DashboardServices {
  store: Store & { readonly accounts: AccountStore; readonly stored: StoredStore };
  clock: Clock;
  outbox: Outbox;
  signUpMode: SignUpMode;
  audit: Audit;
  sessions: Sessions;
  devices: KnownDevices;
  signIn: SignIn;
  signUp: SignUp;
  passwordReset: PasswordReset;
  ownAccount: OwnAccount;
  ownKeys: OwnKeys;
  accountAdmin: AccountAdmin;
  invites: Invites;
  news: News;
  usageReports: UsageReports;
  rates: LiveRates;
  live: LiveHour;
  serviceUsage: ServiceUsageReports;
  checklist: AdminChecklist;
  availability: AvailabilityReports;
}
