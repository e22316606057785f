/**
 * What the dashboard's API tells admins about the whole service, and everyone about its past: see `api.ts`
 * for what holds for all of it. Counts only.
 */
import * as z from "zod";
import type {
  AbuseAlert,
  Availability,
  Checklist,
  LiveMinute,
  MachineNow,
} from "../../core/admin/service-views.js";
import { usageQuery, type Maintenance } from "./api.js";
import type { EngineView, ModelSuggestion } from "./engines.js";

// -------------------------------------------------------------------------------------- the home of admins

/** POST /api/admin/checklist/:id → {}; POST /api/admin/checklist/hide → {} (409 while something is open) */
export const tickBody = z.object({ ticked: z.boolean("Say whether it is done.") });

/** GET /api/admin/home: read live, polled. Of the process that answers: other replicas have their own. */
export interface AdminHome {
  checklist: Checklist;
  suggestion: ModelSuggestion | null;
  startedAt: string;
  /** Of the last hour, since this process started; the last is under way. */
  minutes: LiveMinute[];
  tokensPerSecond: number;
  running: number;
  waiting: number;
  capacity: number;
  machine: MachineNow;
  engines: Pick<EngineView, "models" | "serving" | "state" | "active" | "capacity" | "waiting" | "problem">[];
}

/**
 * GET /api/admin/alerts; POST /api/admin/alerts/:id/dismiss → {}, for a day, and /restore → {}. `:id` is the account's.
 */
export interface AbuseAlertList {
  alerts: AbuseAlert[];
}

// --------------------------------------------------------------------------------------- service-wide usage

/** GET /api/admin/usage → ServiceUsageReport, and GET /api/admin/usage.csv. `account` is an id or an email address. */
export const serviceUsageQuery = usageQuery.extend({
  account: z.string("Choose an account.").trim().max(320, "There is no such account.").optional(),
});

/** GET /api/admin/usage/top → TopUsers */
export const topQuery = serviceUsageQuery.omit({ key: true }).extend({
  measure: z.enum(["requests", "tokens"], "Choose requests or tokens."),
});

// --------------------------------------------------------------------------------------------- status history

/** GET /api/status/history */
export interface StatusHistory extends Availability {
  /** Windows of the same 90 days that took place, the newest first. */
  maintenance: Maintenance[];
}
