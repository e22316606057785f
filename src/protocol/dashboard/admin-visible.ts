/**
 * What admins can read about accounts, in words, for the privacy page. The fields are typed by the replies, so that a
 * field without words does not compile; `test/dashboard/admin/visible.test.ts` reads every route that only admins may
 * read and fails for a field that is missing here. Null: says nothing about an account.
 */
import type { AbuseAlert, AbuseSignal } from "../../core/admin/service-views.js";
import type { MonthCount, MonthView } from "../../core/limits/month-use.js";
import type { KeyLabel, TopUser, UsageBucket } from "../../core/usage/usage-views.js";
import type { AccountDetail, AccountKey, InviteView } from "./accounts.js";
import type { AccountView, PlanView } from "./api.js";
import type { AuditEntry } from "./audit.js";
import type { AdminTeam, AdminTeamDetail, MemberView, TeamSecurityView } from "./teams.js";

type Words<View> = Readonly<Record<keyof Required<View>, string | null>>;

interface VisibleGroup {
  title: string;
  fields: Readonly<Record<string, string | null>>;
}

const counts = "numbers of requests, errors, refusals and tokens by hour, key and model";
const firstToken = "time to first token";
const forecast = "requests and tokens of the month, with a forecast";
const unusual = "requests, tokens, refusals or errors of an hour far above the usual";

const account: Words<AccountView> = {
  id: "id",
  email: "email address",
  isEmailVerified: "whether it is verified",
  canSignIn: "whether it has a password",
  role: "role",
  planId: "plan",
  createdAt: "times of creation and suspension",
  suspendedAt: "times of creation and suspension",
  keys: "number of working keys",
  lastUsedDay: "day of the last use",
};

const keyOfAccount: Words<AccountKey> = {
  id: "id",
  accountId: null,
  name: "name",
  lastFour: "last four characters",
  models: "allowed models",
  limits: "limits",
  createdAt: "times of creation and expiry",
  expiresAt: "times of creation and expiry",
  lastUsedDay: "day and model of the last use",
  lastUsedModel: "day and model of the last use",
  tags: "tags",
  allowFrom: "allowed networks",
  status: "status",
  worksUntil: "status",
  memberId: "whose it is in a team",
  scopes: "scopes",
};

const session: Words<AccountDetail["sessions"][number]> = {
  createdAt: "when it began",
  lastSeenAt: "when it was last used",
  expiresAt: "when it expires",
};

const factors: Words<AccountDetail["factors"] & Pick<AccountDetail, "factors">> = {
  factors: null,
  hasTotp: "whether there is an authenticator app",
  passkeys: "number of passkeys",
};

const bucket: Words<UsageBucket> = {
  start: counts,
  requests: counts,
  errors: counts,
  rateLimited: counts,
  unavailable: counts,
  promptTokens: counts,
  completionTokens: counts,
  firstTokenMsP50: firstToken,
  firstTokenMsP95: firstToken,
};

const topUser: Words<TopUser> = {
  accountId: "account",
  email: "account",
  keyId: "key",
  key: "key",
  requests: counts,
  errors: counts,
  refused: counts,
  tokens: counts,
};

const keyLabel: Words<KeyLabel> = { name: "key", lastFour: "key" };

const plan: Words<PlanView> = {
  id: "name",
  name: "name",
  requestsPerMinute: "limits",
  tokensPerMinute: "limits",
  concurrentRequests: "limits",
  requestsPerDay: "limits",
  tokensPerDay: "limits",
  requestsPerMonth: "limits",
  tokensPerMonth: "limits",
  maxKeys: "limits",
  maxTokens: "limits",
  models: "limits",
  requiresEncryption: "limits",
  weight: "limits",
};

const auditEntry: Words<AuditEntry> = {
  id: null,
  at: "time",
  actor: "who acted",
  actorId: "who acted",
  actorKey: "who acted",
  action: "what was done: sign-ups, sign-ins, changes to accounts and keys",
  target: "what it was done to",
  targetAccountId: "what it was done to",
  targetOwner: "what it was done to",
  targetIsId: null,
};

const invite: Words<InviteView> = {
  id: null,
  email: "invited address",
  isForUnknownAddress: "invited address",
  planId: "plan",
  createdAt: "times of creation and expiry",
  expiresAt: "times of creation and expiry",
};

const month: Words<MonthView & MonthCount> = {
  startsAt: null,
  endsAt: null,
  requests: forecast,
  tokens: forecast,
  used: forecast,
  forecast,
  limit: "limits",
  mostUsedAt: forecast,
  usedUpAt: forecast,
};

const alert: Words<AbuseAlert & AbuseAlert["account"] & AbuseSignal & KeyLabel> = {
  account: "account",
  id: "account",
  email: "account",
  role: "account",
  plan: "plan",
  name: "key",
  lowerPlan: "plan",
  hour: "hour",
  signals: unusual,
  kind: unusual,
  count: unusual,
  usual: unusual,
  key: "key",
  lastFour: "key",
};

const team: Words<Omit<AdminTeamDetail, "plan" | "quotas"> & AdminTeam & MemberView & TeamSecurityView> = {
  team: "name",
  id: "name",
  name: "name",
  planId: "plan",
  createdAt: "times of creation and suspension",
  suspendedAt: "times of creation and suspension",
  members: "numbers of members, keys and invitations",
  keys: "numbers of members, keys and invitations",
  invitations: "numbers of members, keys and invitations",
  joinDomain: "domain whose addresses may join",
  security: "allowed networks, required second factor",
  allowFrom: "allowed networks, required second factor",
  secondFactorDays: "allowed networks, required second factor",
  people: "members with their role and limits, and since when they are in it",
  accountId: "members with their role and limits, and since when they are in it",
  email: "members with their role and limits, and since when they are in it",
  role: "members with their role and limits, and since when they are in it",
  limits: "members with their role and limits, and since when they are in it",
  joinedAt: "members with their role and limits, and since when they are in it",
  isSuspended: "members with their role and limits, and since when they are in it",
};

export const adminVisible = {
  account: { title: "Account", fields: account },
  plan: { title: "Plan", fields: plan },
  keys: { title: "Keys", fields: keyOfAccount },
  sessions: { title: "Sessions", fields: session },
  factors: { title: "Second factors", fields: factors },
  usage: { title: "Usage", fields: { ...bucket, ...topUser, ...keyLabel, model: counts } },
  audit: { title: "Audit trail", fields: auditEntry },
  invitations: { title: "Invitations", fields: invite },
  month: { title: "This month", fields: month },
  alerts: { title: "Unusual use", fields: alert },
  teams: { title: "Teams", fields: { ...team, teams: null, quotas: "limits" } },
} satisfies Record<string, VisibleGroup>;

/** What an admin sees of an account in this group. */
export const fieldsText = ({ fields }: VisibleGroup): string =>
  [...new Set(Object.values(fields).filter((words) => words !== null))].join(", ");
