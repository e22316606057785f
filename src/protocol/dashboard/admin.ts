/**
 * What the dashboard's API tells admins about the whole service, and everyone about its past: see `api.ts`
 * for what holds for all of it. Counts only.
 */
import * as z from "zod";
import { usageQuery, type Maintenance, type SignUpMode, type UsageBucket } from "./api.js";
import type { EngineView, ModelSuggestion } from "./engines.js";
import type { ErrorCode } from "../../core/errors.js";
import type { ModelId } from "../../core/models.js";

// -------------------------------------------------------------------------------------- the operator's home

export const checklistItems = ["model", "signUp", "mail", "address", "invite", "backup"] as const;
export type ChecklistItem = (typeof checklistItems)[number];

export interface Checklist {
  entries: {
    id: ChecklistItem;
    /** `done`: the server knows it. `ticked`: an admin says so. */
    state: "done" | "ticked" | "open";
  }[];
  isHidden: boolean;
  signUp: SignUpMode;
  publicUrl: string | null;
  /** When `sotto backup` last ran; null where that is not known. */
  lastBackupAt: string | null;
  /** Whether the database is the one that `sotto backup` copies. */
  isSqlite: boolean;
}

/** POST /api/admin/checklist/:id → {}; POST /api/admin/checklist/hide → {} (409 while something is open) */
export const tickBody = z.object({ ticked: z.boolean("Say whether it is done.") });

/** One minute of the process that answers. */
export interface LiveMinute {
  start: string;
  /** Completion requests that ended, refused ones included. */
  requests: number;
  errors: number;
  refused: number;
  tokensPerSecond: number;
  /** The most that were seen. */
  waiting: number;
  running: number;
  memoryBytes: number | null;
  diskBytes: number | null;
}

interface Room {
  usedBytes: number;
  totalBytes: number;
}

/** Null where the system does not say. */
export interface MachineNow {
  memory: Room | null;
  /** Of the data directory. */
  disk: Room | null;
}

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

// --------------------------------------------------------------------------------------- service-wide usage

/** GET /api/admin/usage and /api/admin/usage.csv. `account` is an id or an email address. */
export const serviceUsageQuery = usageQuery.extend({
  account: z.string("Choose an account.").trim().max(320, "There is no such account.").optional(),
});

export interface ServiceUsageReport {
  /** The account that was asked for. */
  account: { id: string; email: string } | null;
  key: { id: string; name: string } | null;
  buckets: UsageBucket[];
  totals: Omit<UsageBucket, "start">;
  byModel: { model: ModelId | null; requests: number; refused: number; tokens: number }[];
  /** Errors and refusals by code, the most first. Null with an account or a key: causes are not kept by account. */
  causes: { code: ErrorCode; status: number; requests: number }[] | null;
}

/** GET /api/admin/usage/top → TopUsers */
export const topQuery = serviceUsageQuery.omit({ key: true }).extend({
  measure: z.enum(["requests", "tokens"], "Choose requests or tokens."),
});

export interface TopUserView {
  accountId: string;
  email: string;
  /** Null where accounts are ranked. */
  keyId: string | null;
  keyName: string | null;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

export interface TopUsers {
  accounts: TopUserView[];
  keys: TopUserView[];
}

// --------------------------------------------------------------------------------------------- status history

export interface ModelDays {
  model: ModelId;
  /** Share of requests that were answered, over all days; null without requests. */
  availability: number | null;
  /** The oldest first, in UTC. */
  days: {
    date: string;
    requests: number;
    failed: number;
    /** Refused for maintenance, and counted in neither. */
    maintenance: number;
    availability: number | null;
  }[];
}

/** Hours in which many requests failed. */
export interface Incident {
  startsAt: string;
  endsAt: string;
  models: ModelId[];
  failed: number;
}

/** GET /api/status/history */
export interface StatusHistory {
  /** Since when outcomes are counted; null before the first. */
  since: string | null;
  models: ModelDays[];
  /** The newest first. */
  incidents: Incident[];
  /** Windows of the same 90 days that took place, the newest first. */
  maintenance: Maintenance[];
}
