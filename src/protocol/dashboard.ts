/**
 * The dashboard's own API, under `/api`: one schema for each body that comes in, one type for each that goes
 * out. The browser imports only the types. It is no public interface: it changes with the pages it serves.
 *
 * Every error has the form `{ "error": { "code", "message", "field"? } }`, with `field` naming the input at
 * fault. Times are ISO 8601 in UTC. Requests that change something need the session cookie, a JSON body (an
 * empty object where nothing is to be said) and an `Origin` of this service.
 */
import { z } from "zod";
import { modelIds, type ModelId } from "./models.js";

export type DashboardErrorCode =
  | "bad_request"
  | "signed_out"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "throttled"
  | "limit_reached"
  | "unavailable"
  | "internal";

export interface DashboardErrorBody {
  error: { code: DashboardErrorCode; message: string; field?: string };
}

// -------------------------------------------------------------------------------------------- public pages

export type SignUpMode = "open" | "invite" | "closed";
export type ModelState = "up" | "degraded" | "maintenance" | "down";

export interface Maintenance {
  id: string;
  title: string;
  body: string;
  startsAt: string;
  endsAt: string;
  /** Set when it was ended before its time. */
  endedAt: string | null;
  state: "planned" | "open" | "over";
}

/** GET /api/site: what every page needs before anything else. */
export interface Site {
  ownerName: string;
  version: string;
  signUp: SignUpMode;
  /** True until the operator account exists. */
  needsSetup: boolean;
  canMail: boolean;
  /** The open window, or the next planned one. */
  maintenance: Maintenance | null;
  /** Null when nobody is signed in. */
  me: Me | null;
}

/** GET /api/status */
export interface Status {
  checkedAt: string;
  overall: ModelState;
  models: { id: ModelId; state: ModelState; waiting: number; note: string }[];
  /** Parts besides the models: the database, the counters. */
  parts: { name: string; state: ModelState; note: string }[];
  maintenance: Maintenance[];
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

const email = z.string().trim().min(3).max(254);
/** Length is what counts; 10 characters at least, and a bound so that hashing stays cheap. */
export const passwordLength = { min: 10, max: 200 } as const;
const newPassword = z
  .string()
  .min(passwordLength.min, `must have at least ${passwordLength.min} characters`)
  .max(passwordLength.max, `must have at most ${passwordLength.max} characters`);
const token = z.string().min(20).max(200);

/** POST /api/sign-up → Me */
export const signUpBody = z.object({ email, password: newPassword, invite: token.optional() });
/** POST /api/sign-in → Me */
export const signInBody = z.object({ email, password: z.string().max(passwordLength.max) });
/** POST /api/setup → Me (the operator's account, once) */
export const setupBody = z.object({ token, email, password: newPassword });
/** POST /api/reset/request → {} whatever the address */
export const resetRequestBody = z.object({ email });
/** POST /api/reset → Me; ends all other sessions of the account */
export const resetBody = z.object({ token, password: newPassword });
/** POST /api/me/password → {}; ends all other sessions */
export const changePasswordBody = z.object({
  current: z.string().max(passwordLength.max),
  next: newPassword,
});
/** DELETE /api/me → {} */
export const deleteAccountBody = z.object({ password: z.string().max(passwordLength.max) });
// POST /api/sign-out → {}    POST /api/sign-out-everywhere → {}

export interface PlanView {
  id: string;
  name: string;
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrentRequests: number;
  maxKeys: number;
  /** Largest `max_tokens`; null: what the context leaves. */
  maxTokens: number | null;
  /** Null: every model. */
  models: ModelId[] | null;
}

/** GET /api/me */
export interface Me {
  account: { id: string; email: string; role: "user" | "admin"; createdAt: string };
  plan: PlanView;
}

/** GET /api/me/stored: the rows themselves, by table, secrets left out. GET /api/me/export downloads it. */
export interface StoredAboutMe {
  exportedAt: string;
  tables: { name: string; why: string; rows: Record<string, string | number | null>[] }[];
}

// ---------------------------------------------------------------------------------------------------- keys

const keyName = z.string().trim().min(1, "must not be empty").max(80);

const keyLimit = z
  .number("must be a number")
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(1_000_000_000, "must be at most 1,000,000,000")
  .nullable();

const keyLimits = z.object({
  requestsPerMinute: keyLimit,
  tokensPerMinute: keyLimit,
  concurrentRequests: keyLimit,
});
export type KeyLimitsView = z.infer<typeof keyLimits>;

export interface KeyView {
  id: string;
  name: string;
  lastFour: string;
  models: ModelId[] | null;
  limits: KeyLimitsView;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  status: "active" | "disabled" | "expiring" | "expired" | "revoked";
  /** While a rotated key still works. */
  worksUntil: string | null;
}

// GET /api/keys → { keys: KeyView[] }, newest first
/** POST /api/keys → KeyWithSecret */
export const createKeyBody = z.object({
  name: keyName,
  models: z.array(z.enum(modelIds)).min(1, "must name at least one model").nullable(),
  expiresInDays: z.number().int().min(1).max(3650).nullable(),
  /** Below the plan's; absent or null where the plan's alone count. */
  limits: keyLimits.nullish(),
});
/** POST /api/keys/:id/rotate → KeyWithSecret */
export const rotateKeyBody = z.object({ graceHours: z.number().min(0).max(720) });
// POST /api/keys/:id/disable | /enable | /revoke → KeyView

export interface KeyWithSecret {
  key: KeyView;
  /** Shown this once. */
  secret: string;
}

// --------------------------------------------------------------------------------------------------- usage

export interface UsageBucket {
  /** Start of the hour, or of the day in UTC. */
  start: string;
  requests: number;
  errors: number;
  promptTokens: number;
  completionTokens: number;
  /** Estimated from the histogram; null without a finished reply. */
  firstTokenMsP50: number | null;
  firstTokenMsP95: number | null;
}

/** GET /api/usage and GET /api/usage.csv */
export const usageQuery = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  step: z.enum(["hour", "day"]),
  key: z.string().max(64).optional(),
  model: z.enum(modelIds).optional(),
});
export interface UsageReport {
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  byModel: { model: ModelId; requests: number; tokens: number }[];
  byKey: { keyId: string; name: string; requests: number; tokens: number }[];
}

export interface Gauge {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** GET /api/limits: read live, polled by the overview. */
export interface LimitsNow {
  plan: PlanView;
  requests: Gauge;
  tokens: Gauge;
  concurrent: { limit: number; held: number };
  queues: { model: ModelId; running: number; waiting: number; capacity: number }[];
}

// POST /api/playground: the body and the stream of POST /v1/chat/completions with `stream: true`, by session.

// --------------------------------------------------------------------------------------------------- admin

export interface AccountView {
  id: string;
  email: string;
  role: "user" | "admin";
  planId: string;
  createdAt: string;
  suspendedAt: string | null;
  keys: number;
  lastUsedAt: string | null;
}

/** GET /api/admin/accounts → { accounts: AccountView[]; total: number } */
export const accountsQuery = z.object({
  search: z.string().max(200).default(""),
  page: z.coerce.number().int().min(0).max(100_000).default(0),
});
export const accountsPageSize = 50;
// POST /api/admin/accounts/:id/suspend | /resume → AccountView
/** POST /api/admin/accounts/:id/plan → AccountView */
export const setPlanBody = z.object({ planId: z.string().max(64) });
/** POST /api/admin/accounts/:id/role → AccountView */
export const setRoleBody = z.object({ role: z.enum(["user", "admin"]) });
// POST /api/admin/accounts/:id/reset-link → OneTimeLink
/** POST /api/admin/invites → OneTimeLink */
export const inviteBody = z.object({ email: email.optional() });

export interface OneTimeLink {
  link: string;
  expiresAt: string;
}

// GET /api/admin/plans → { plans: (PlanView & { accounts: number })[] }
/** PUT /api/admin/plans/:id → PlanView */
export const planBody = z.object({
  name: z.string().trim().min(1).max(80),
  requestsPerMinute: z.number().int().min(1).max(1_000_000_000),
  tokensPerMinute: z.number().int().min(1).max(1_000_000_000),
  concurrentRequests: z.number().int().min(1).max(1_000_000),
  maxKeys: z.number().int().min(1).max(10_000),
  maxTokens: z.number().int().min(1).max(2_147_483_647).nullable(),
  models: z.array(z.enum(modelIds)).min(1).nullable(),
});
// DELETE /api/admin/plans/:id → {} (409 while accounts are on it)

/** GET /api/admin/engines → { engines: EngineView[] } */
export interface EngineView {
  model: ModelId;
  serving: string;
  state: "starting" | "ready" | "down";
  active: number;
  capacity: number;
  waiting: number;
  contextTokens: number;
  restarts: number;
  tokensPerSecond: number;
  memoryBytes: number | null;
  queueWaitMsP50: number | null;
}

/** POST /api/admin/changelog, PUT /api/admin/changelog/:id → ChangelogEntry; DELETE → {} */
export const changelogBody = z.object({
  title: z.string().trim().min(1).max(200),
  body: z.string().max(20_000),
});
/** POST /api/admin/maintenance → Maintenance. POST /api/admin/maintenance/:id/end → Maintenance */
export const maintenanceBody = z
  .object({
    title: z.string().trim().min(1).max(200),
    body: z.string().max(20_000),
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime(),
  })
  .refine((window) => window.startsAt < window.endsAt, {
    path: ["endsAt"],
    error: "must be after the start",
  });

export interface AuditEntry {
  id: string;
  at: string;
  /** An email address, or `command line`. */
  actor: string;
  action: string;
  target: string;
}

/** GET /api/admin/audit → { entries: AuditEntry[]; next: string | null }, newest first */
export const auditQuery = z.object({ before: z.string().max(64).optional() });
