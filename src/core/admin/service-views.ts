/** What is shown of the service as a whole: its setup, its last hour, its availability. */
import type { SignUpMode } from "../accounts/sign-up-mode.js";
import type { ModelId } from "../models.js";

export type ModelState = "up" | "degraded" | "maintenance" | "down";

export const checklistItems = ["operator", "model", "signUp", "mail", "address", "invite", "backup"] as const;
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
  /** Null where the database is Postgres, which has its own tools. */
  backupCommand: string | null;
}

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

/** Refusals are those with 429. */
export const abuseKinds = ["requests", "tokens", "refusals", "errors"] as const;
export type AbuseCounts = Record<(typeof abuseKinds)[number], number>;

/** Far more than usual in an hour. */
export interface AbuseSignal {
  kind: (typeof abuseKinds)[number];
  count: number;
  /** In an hour in which the account is used; 0 for one that never was. */
  usual: number;
}

export interface AbuseAlert {
  account: { id: string; email: string; role: "user" | "admin" };
  plan: { id: string; name: string };
  /** The next that allows less; null where there is none. */
  lowerPlan: { id: string; name: string } | null;
  /** When the hour began. */
  hour: string;
  signals: AbuseSignal[];
  /** The key with most of it, while it works; null for the playground. */
  key: { id: string; name: string; lastFour: string } | null;
}

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

export interface Availability {
  /** Since when outcomes are counted; null before the first. */
  since: string | null;
  models: ModelDays[];
  /** The newest first. */
  incidents: Incident[];
}
