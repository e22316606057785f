/**
 * The dashboard's own API, under `/api`: one schema for each body that comes in, one type for each that goes
 * out. The browser imports only the types. It is no public interface: it changes with the pages it serves.
 * What a schema refuses is shown beside the invalid input, so each says in plain words what it expects.
 *
 * Every error has the form `{ "error": { "code", "message", "field"? } }`, with `field` naming the
 * invalid input. Times are ISO 8601 in UTC. Requests that change something need the session cookie, a JSON body (an
 * empty object where there is nothing to send) and an `Origin` of this service.
 */
import * as z from "zod";
import {
  largestQuota,
  longest,
  mostNetworks,
  mostTags,
  passwordLength,
  planWeight,
  shownBound,
} from "../../core/bounds.js";
import type { DashboardErrorCode } from "../../core/dashboard-error.js";
import type { Account, ApiKey, Plan } from "../../core/entities.js";
import { keyScopes } from "../../core/key-scopes.js";
import { type ChatModelId, modelIds, type ModelId } from "../../core/models.js";
import type { MonthView } from "../../core/limits/month-use.js";
import type { ModelState } from "../../core/admin/service-views.js";
import type { MaintenanceWindow } from "../../core/serving/maintenance-gate.js";
import type { PlaceKind, Verdict } from "../../core/proof/privacy-check.js";
import type { OperatorFacts } from "../../core/operator.js";
import type { SignInMode } from "../../core/single-sign-on/own-identities.js";
import type { FactorDue } from "../../core/factors/requirement.js";
import type { SignUpMode } from "../../core/accounts/sign-up-mode.js";
import type { InJson } from "./in-json.js";

export interface DashboardErrorBody {
  error: { code: DashboardErrorCode; message: string; field?: string };
}

// -------------------------------------------------------------------------------------------- public pages

export interface Maintenance extends InJson<Omit<MaintenanceWindow, "publishedAt" | "updatedAt">> {
  state: "planned" | "open" | "over";
}

/** GET /api/site: what every page needs before anything else. */
export interface Site {
  operator: OperatorFacts;
  version: string;
  signUp: SignUpMode;
  /** `oidc`: with the providers below only. */
  signIn: SignInMode;
  /** Identity providers to choose from; `signsUp`: whether some get an account by signing in. */
  providers: { id: string; name: string; signsUp: boolean }[];
  /** True until an admin's account exists. */
  needsSetup: boolean;
  canMail: boolean;
  /** The longest reply to a request without `max_tokens`, by model; a plan may allow less. */
  defaultMaxTokens: Record<ChatModelId, number>;
  /** The open window, or the next planned one. */
  maintenance: Maintenance | null;
  /** Where browsers can use passkeys; null where they cannot. */
  passkeyOrigin: string | null;
  /** Null when nobody is signed in. */
  me: Me | null;
}

/** GET /api/status */
export interface Status {
  checkedAt: string;
  overall: ModelState;
  models: {
    id: ModelId;
    state: ModelState;
    /** In its queue, which is also that of the models in `sharedWith`. */
    waiting: number;
    sharedWith: ModelId[];
    note: string;
  }[];
  /** Parts besides the models: the database, the counters. */
  parts: { name: string; state: ModelState; note: string }[];
  maintenance: Maintenance[];
  /** The last `sotto privacy check`; null where there was none. */
  privacyCheck: PrivacyCheckView | null;
}

/** Without anything about the machine but which kinds of places were searched. */
export interface PrivacyCheckView {
  at: string;
  verdict: Verdict;
  /** It was so long ago that it says little about the service now. */
  isOld: boolean;
  isSigned: boolean;
  requests: number;
  waitedSeconds: number;
  places: { kind: PlaceKind; verdict: Verdict }[];
}

/** The file that answers on the operator's machine, for people who choose a model. */
export interface ModelWeightsView {
  title: string;
  /** Null where it is not known. */
  licence: string | null;
  /** One stream's rate, measured on that machine; null until it is. */
  tokensPerSecond: number | null;
  /** The demonstration that comes with Sotto, and not a model to rely on. */
  isStarter: boolean;
}

/** GET /api/models → { models: ModelFacts[] } */
export interface ModelFacts {
  id: ModelId;
  /** The operator's line about it; null without one. */
  description: string | null;
  /** Null where it is not known, or not yet. */
  contextTokens: number | null;
  /** Whether it can call tools. */
  tools: boolean;
  /** Whether it reads images. */
  vision: boolean;
  /** Null where an engine elsewhere answers. */
  weights: ModelWeightsView | null;
}

export interface ChangelogEntry {
  id: string;
  kind: "entry" | "maintenance";
  title: string;
  /** Markdown, shown sanitised. */
  body: string;
  publishedAt: string;
  /** Present when `kind` is `maintenance`. */
  maintenance: Maintenance | null;
}

/** GET /api/changelog, newest first. */
export interface Changelog {
  entries: ChangelogEntry[];
}

// ------------------------------------------------------------------------------------ accounts and sessions

export const email = z
  .string("Enter an email address.")
  .trim()
  .min(3, "Enter an email address.")
  .max(longest.email, `The email address must have at most ${longest.email} characters.`);
const newPassword = z
  .string("Enter a password.")
  .min(passwordLength.min, `The password must have at least ${passwordLength.min} characters.`)
  .max(passwordLength.max, `The password must have at most ${passwordLength.max} characters.`);
/** Only compared with the stored hash, so its form is not checked. */
export const oldPassword = z.string("Enter your password.").max(passwordLength.max, "The password is wrong.");
const brokenLink = "The link is incomplete. Copy all of it.";
const token = z.string(brokenLink).min(20, brokenLink).max(200, brokenLink);

/** POST /api/sign-up → Me */
export const signUpBody = z.object({ email, password: newPassword, invite: token.optional() });
/** POST /api/sign-up/provider → ProviderRound */
export const invitedBody = z.object({ provider: z.string("Choose an identity provider."), invite: token });
/** POST /api/sign-in → Entry */
export const signInBody = z.object({ email, password: oldPassword });
/** POST /api/sign-in/join → Me; the password of an account that an identity provider is linked to */
export const joinBody = z.object({ password: oldPassword });
/** POST /api/sign-in/link → Me; the token of a link that `sotto open` has printed, once */
export const signInLinkBody = z.object({ token });
/** PUT /api/admin/operator → OperatorFacts */
export const operatorBody = z.object({
  name: z
    .string("Enter a name.")
    .trim()
    .max(longest.operatorName, `Use at most ${longest.operatorName} characters.`)
    .regex(/^[^\p{Cc}\p{Bidi_Control}]*$/u, "Use one line of text.")
    .transform((name) => (name === "" ? null : name)),
  contact: z
    .string("Enter an email address or a web address.")
    .trim()
    .max(longest.email, `Use at most ${longest.email} characters.`)
    .transform((contact) => (contact === "" ? null : contact)),
});
/** POST /api/setup → Me (the first admin's account, once) */
export const setupBody = z.object({
  token,
  email,
  password: newPassword,
  name: operatorBody.shape.name.optional(),
  contact: operatorBody.shape.contact.optional(),
});
/** POST /api/reset/request → {} whatever the address */
export const resetRequestBody = z.object({ email });
/** POST /api/reset → Entry; ends all other sessions of the account */
export const resetBody = z.object({ token, password: newPassword });
/** POST /api/me/password → {}; ends all other sessions */
export const changePasswordBody = z.object({ next: newPassword });
/** PUT /api/me/email → EmailChangeView */
export const changeEmailBody = z.object({ email });
/** GET /api/me/email, DELETE /api/me/email: the change that waits for confirmation; null for none. */
export interface EmailChangeView {
  change: { email: string; waitsFor: "present" | "new"; expiresAt: string } | null;
}
// POST /api/me/verify → {}
/** POST /api/confirm → Confirmed, by a link that was mailed */
export const confirmBody = z.object({ token });
// DELETE /api/me → {}
/** POST /api/sign-out: where the browser ends its session at the identity provider, too; null for nowhere. */
export interface SignedOut {
  next: string | null;
}
// POST /api/sign-out-everywhere → {}

export type PlanView = InJson<Plan>;

/** GET /api/me */
export interface Me {
  account: Pick<AccountView, "id" | "email" | "isEmailVerified" | "role" | "createdAt">;
  plan: PlanView;
  /** The account must add a second factor by then, and can do nothing else once it is due; null where it need not. */
  missingFactor: { by: string; of: FactorDue["of"]; isDue: boolean } | null;
}

// GET /api/me/memory → KeptOfAccount, of the server that answers    POST /api/me/memory/forget → the same, afterwards
// GET /api/me/stored → StoredAboutMe    GET /api/me/export downloads all of it
/** GET /api/me/stored/rows → StoredRows */
export const storedQuery = z.object({
  table: z.string("Name a table.").max(64, "There is no such table."),
  after: z.string("There is no such page.").max(200, "There is no such page.").optional(),
});

// ---------------------------------------------------------------------------------------------------- keys

export const noPage = "There is no such page.";

/** One line that must say something. */
export const line = (name: string, max: number) => lineOr(`Enter ${name}.`, max);
/** The same, with the words for one that does not. */
export const lineOr = (words: string, max: number) =>
  z
    .string(words)
    .trim()
    .min(1, words)
    .max(max, `Use at most ${shownBound(max)} characters.`);
export const whole = (min: number, max: number) => {
  const words = `Enter a whole number from ${shownBound(min)} to ${shownBound(max)}.`;
  return z.number(words).int(words).min(min, words).max(max, words);
};
const hours = (min: number, max: number) => {
  const words = `Enter a number of hours from ${min} to ${max}.`;
  return z.number(words).min(min, words).max(max, words);
};
export const oneModel = z.enum(modelIds, `Choose one of ${modelIds.join(", ")}.`);
export const someModels = z
  .array(oneModel, "Choose all models, or some by name.")
  .min(1, "Choose at least one model.")
  .nullable();

const keyLimit = whole(1, 1_000_000_000).nullable();
const quota = whole(1, largestQuota).nullable().default(null);
export const quotas = {
  requestsPerDay: quota,
  tokensPerDay: quota,
  requestsPerMonth: quota,
  tokensPerMonth: quota,
};

export const keyLimits = z.object(
  { requestsPerMinute: keyLimit, tokensPerMinute: keyLimit, concurrentRequests: keyLimit, ...quotas },
  "Give the key's limits, or none.",
);
export type KeyLimitsView = z.infer<typeof keyLimits>;

type NotShown =
  "accountId" | "operations" | "revokedAt" | "disabledAt" | "lastUsedAt" | "replaces" | "lineage";

export interface KeyView extends InJson<Omit<ApiKey, NotShown>> {
  /** As 2030-12-31, in UTC. Nothing finer is kept. */
  lastUsedDay: string | null;
  status: "active" | "disabled" | "expiring" | "expired" | "revoked";
  /** While a rotated key still works. */
  worksUntil: string | null;
}

/** GET /api/keys → KeyList; `after` is the `next` of the page before. */
export const keyListQuery = z.object({ after: z.string(noPage).max(100, noPage).optional() });
export interface KeyList {
  /** Newest first. */
  keys: KeyView[];
  /** Null on the last page. */
  next: string | null;
}
/** Null for a key that never expires. */
export const keyDays = whole(1, 3650).nullable();
/** In CIDR notation, or single addresses; null or none for any. */
export const keyNetworks = z
  .array(z.string("Write networks.").max(50, "This is not a network."), "Give the key's networks, or none.")
  .max(mostNetworks, `Use at most ${mostNetworks} networks.`)
  .nullish();
/** POST /api/keys → KeyWithSecret */
export const createKeyBody = z.object({
  name: line("a name", longest.keyName),
  models: someModels,
  expiresInDays: keyDays,
  /** Below the plan's; absent or null where the plan's alone count. */
  limits: keyLimits.nullish(),
  tags: z
    .array(z.string("Write tags as words."), "Give the key's tags, or none.")
    .max(mostTags, `Use at most ${mostTags} tags.`)
    .optional(),
  allowFrom: keyNetworks,
  /** In a team: a key that outlives its creator's membership. */
  isService: z.boolean("Choose whether it is a service key.").default(false),
});
export type NewKeyFields = Omit<z.infer<typeof createKeyBody>, "models" | "isService">;
/** POST /api/admin/operator-keys → KeyWithSecret: a key of one's own that cannot use models */
export const operatorKeyBody = createKeyBody.omit({ models: true, isService: true }).extend({
  scopes: z
    .array(z.enum(keyScopes, "There is no such scope."), "Choose scopes.")
    .min(1, "Choose at least one scope."),
});
/** POST /api/keys/:id/rotate → KeyWithSecret */
export const rotateKeyBody = z.object({ graceHours: hours(0, 720) });
// POST /api/keys/:id/disable | /enable | /revoke → KeyView

export interface KeyWithSecret {
  key: KeyView;
  /** Shown this once. */
  secret: string;
}

// --------------------------------------------------------------------------------------------------- usage

export const moment = (what: string) => z.iso.datetime(`Enter ${what}, as a date and a time.`);

/** GET /api/usage → UsageReport, and GET /api/usage.csv */
export const usageQuery = z.object({
  from: moment("when the period begins"),
  to: moment("when the period ends"),
  step: z.enum(["hour", "day"], "Choose hour or day."),
  key: z.string("Choose a key.").max(64, "There is no such key.").optional(),
  model: oneModel.optional(),
});
export interface Gauge {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

export interface QuotaNow {
  kind: "requests" | "tokens";
  period: "day" | "month";
  limit: number;
  remaining: number;
  resetsAt: string;
}

// GET /api/usage/month and GET /api/admin/accounts/:id/month → MonthView

/** GET /api/limits: read live, polled by the overview. */
export interface LimitsNow {
  plan: PlanView;
  requests: Gauge;
  tokens: Gauge;
  concurrent: { limit: number; held: number };
  /** By the day and the month; empty without any. */
  quotas: QuotaNow[];
  /** One for each engine, with the models that share it. */
  queues: { models: ModelId[]; running: number; waiting: number; capacity: number }[];
}

// POST /api/playground: the body and the stream of POST /v1/chat/completions with `stream: true`, by session. For a team:
// POST /api/teams/:team/playground.

// --------------------------------------------------------------------------------------------------- admin

export interface AccountView extends InJson<Omit<Account, "kind" | "emailVerifiedAt">> {
  isEmailVerified: boolean;
  /** False for one without a password, whose keys are managed on the command line. */
  canSignIn: boolean;
  keys: number;
  /** As 2030-12-31, in UTC; of the key that was used last. */
  lastUsedDay: string | null;
}

// POST /api/admin/accounts/:id/suspend | /resume → AccountView
/** POST /api/admin/accounts/:id/plan → AccountView */
export const setPlanBody = z.object({ planId: z.string("Choose a plan.").max(64, "There is no such plan.") });
/** POST /api/admin/accounts/:id/role → AccountView */
export const setRoleBody = z.object({ role: z.enum(["user", "admin"], "Choose user or admin.") });
// POST /api/admin/accounts/:id/reset-link → OneTimeLink

export interface OneTimeLink {
  link: string;
  expiresAt: string;
}

// GET /api/admin/plans → { plans: (PlanView & { accounts: number })[] }
/** PUT /api/admin/plans/:id → PlanView */
export const planBody = z.object({
  name: line("a name", longest.planName),
  requestsPerMinute: whole(1, 1_000_000_000),
  tokensPerMinute: whole(1, 1_000_000_000),
  concurrentRequests: whole(1, 1_000_000),
  maxKeys: whole(1, 10_000),
  maxTokens: whole(1, 2_147_483_647).nullable(),
  models: someModels,
  requiresEncryption: z.boolean("Choose whether requests must be encrypted.").default(false),
  weight: whole(planWeight.min, planWeight.max).default(planWeight.usual),
  ...quotas,
});
/** GET /api/admin/plans/month: what all accounts of each plan used; a quota counts once for each of them. */
export interface PlanMonths {
  plans: (MonthView & { planId: string })[];
}
/** POST /api/admin/plans → PlanView (409 where there is one with this id); GET /api/admin/plans/:id → PlanView */
export const newPlanBody = planBody.extend({ id: line("an id", 64) });
// DELETE /api/admin/plans/:id → {} (409 while accounts are on it)

const title = line("a title", longest.title);
const announcement = z
  .string("Enter a text.")
  .max(longest.announcement, `Use at most ${shownBound(longest.announcement)} characters.`);
/**
 * POST /api/admin/changelog, PUT /api/admin/changelog/:id → ChangelogEntry; DELETE → {}.
 * GET /api/admin/changelog/drafts → { drafts: Draft[] }: written by the service, one for each model that was changed.
 * POST /api/admin/changelog/drafts/:model → ChangelogEntry: publishes it; DELETE → {}: discards it
 */
export const changelogBody = z.object({ title, body: announcement });
/**
 * POST /api/admin/maintenance → Maintenance; PUT /api/admin/maintenance/:id → Maintenance, until it begins (then
 * 409). POST /api/admin/maintenance/:id/end → Maintenance: ends an open window, calls off a planned one.
 */
export const maintenanceBody = z
  .object({ title, body: announcement, startsAt: moment("when it starts"), endsAt: moment("when it ends") })
  .refine((window) => Date.parse(window.startsAt) < Date.parse(window.endsAt), {
    path: ["endsAt"],
    error: "The end must be after the start.",
  });
