/** What the admin pages need: sums over all accounts, outcomes of requests, announcements, the models' sources. */
import type { ErrorCode } from "../errors.js";
import type {
  EngineRequest,
  EnginePreflight,
  ModelChoicesView,
  ModelView,
  PullRequest,
  PullView,
  WeightsRequest,
} from "../model-views.js";
import type { ModelId } from "../models.js";
import type { MaintenanceWindow } from "../serving/maintenance-gate.js";
import type { UsageCounts } from "../usage/ports.js";
import type { AbuseCounts } from "./service-views.js";
import type { KeyLabel, TopUsers } from "../usage/usage-views.js";

export interface ServiceStore {
  readonly usage: ServiceUsageStore;
  readonly outcomes: OutcomeStore;
  readonly facts: AdminFacts;
}

export interface ServiceFilter {
  /** From this time on. */
  from: Date;
  /** Before this time. */
  to: Date;
  model?: ModelId | undefined;
}

export interface TopFilter extends ServiceFilter {
  accountId?: string | undefined;
}

export interface ServiceUsageLine extends UsageCounts {
  start: Date;
  email: string;
  keyId: string;
  /** Null where the key is gone, or is none. */
  key: KeyLabel | null;
  model: ModelId | null;
}

/** Written by `UsageStore.add`, in the same transaction. What deleted accounts used stays in the sums. */
export interface ServiceUsageStore {
  /** Summed up by step; by time. `stepMs` is an hour or a multiple of it, counted from 1970. */
  readByTime(filter: ServiceFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]>;
  readByModel(filter: ServiceFilter): Promise<(UsageCounts & { model: ModelId | null })[]>;
  /**
   * The first `limit` accounts and keys by that measure, the most first. Of accounts that still exist; of one account
   * only its keys.
   */
  top(filter: TopFilter, measure: "requests" | "tokens", limit: number): Promise<TopUsers>;
  /** By step, account, key and model; by time. Of accounts that still exist. */
  lines(filter: TopFilter & { keyId?: string | undefined }, stepMs: number): Promise<ServiceUsageLine[]>;
  /**
   * The hours in which an account reached one of these counts, the most requests and refusals first. Of accounts that
   * still exist.
   */
  busyHours(
    range: Pick<ServiceFilter, "from" | "to">,
    least: AbuseCounts,
    limit: number,
  ): Promise<HourOfAccount[]>;
  prune(before: Date): Promise<void>;
}

export interface HourOfAccount extends AbuseCounts {
  accountId: string;
  start: Date;
}

/** How many requests of an hour ended with this code, `none` being no error. */
export interface Outcomes {
  start: Date;
  /** Null where it was not known yet. */
  model: ModelId | null;
  code: ErrorCode | "none";
  requests: number;
}

export interface OutcomeStore {
  /** Adds to what is there. */
  add(rows: readonly Outcomes[]): Promise<void>;
  /** Summed up by code. */
  readByCode(filter: ServiceFilter): Promise<Pick<Outcomes, "code" | "requests">[]>;
  /** Summed up by day in UTC, model and code; by time. */
  readByDay(from: Date, to: Date): Promise<Outcomes[]>;
  /** By hour, of all hours in which a request ended with one of these codes; by time. */
  readHoursWith(codes: readonly ErrorCode[], from: Date, to: Date): Promise<Outcomes[]>;
  /** When the oldest hour began; null without any. */
  since(): Promise<Date | null>;
  prune(before: Date): Promise<void>;
}

export interface AdminFacts {
  /** Whether an admin or the operator invited someone or created an account: strangers who sign up do not count. */
  hasInvited(): Promise<boolean>;
  /** Those of these settings that are set. */
  settings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface ChangelogItem {
  id: string;
  title: string;
  body: string;
  publishedAt: Date;
  updatedAt: Date;
}

export interface NewsStore {
  /** Newest first. */
  listItems(limit: number): Promise<ChangelogItem[]>;
  findItem(id: string): Promise<ChangelogItem | null>;
  createItem(item: ChangelogItem): Promise<void>;
  /** Null when there is none. */
  updateItem(
    id: string,
    change: Pick<ChangelogItem, "title" | "body" | "updatedAt">,
  ): Promise<ChangelogItem | null>;
  /** False when there is none. */
  deleteItem(id: string): Promise<boolean>;

  /** Latest start first. */
  listWindows(limit: number): Promise<MaintenanceWindow[]>;
  /** Those that end after `now`, the earliest start first. */
  listCurrentWindows(now: Date): Promise<MaintenanceWindow[]>;
  findWindow(id: string): Promise<MaintenanceWindow | null>;
  createWindow(window: MaintenanceWindow): Promise<void>;
  /** Null, and nothing is changed, when there is none or it has begun or was called off. */
  updatePlannedWindow(
    id: string,
    change: Pick<MaintenanceWindow, "title" | "body" | "startsAt" | "endsAt">,
    now: Date,
  ): Promise<MaintenanceWindow | null>;
  /** Ends it at `at`; a window that is over already stays as it is. */
  endWindow(id: string, at: Date): Promise<void>;
}

/** Which weights or engine answer for each model. Methods reject with `UserError` for what an admin can correct. */
export interface ModelSources {
  now(): Promise<ModelView[]>;
  /** For a model: beside what serves the others. */
  choices(model: ModelId | undefined): Promise<ModelChoicesView>;
  preflight(engine: EngineRequest): Promise<EnginePreflight>;
  // The next four resolve when the choice is checked and stored. The model changes over afterwards, without dropping
  // a stream; where that fails, the choice is taken back and `now` says why.
  useWeights(model: ModelId, weights: WeightsRequest): Promise<void>;
  useEngine(model: ModelId, engine: EngineRequest): Promise<void>;
  useDefault(model: ModelId): Promise<void>;
  rollBack(model: ModelId): Promise<void>;
}

/** Downloads of weights. Methods reject with `UserError` likewise. */
export interface Pulls {
  list(): PullView[];
  start(pull: PullRequest): PullView;
  /** What has arrived is kept. */
  pause(id: string): PullView;
  /** Also tries a failed one again. */
  resume(id: string): PullView;
  /** Takes it off the list; what has arrived of an unfinished one is removed. */
  cancel(id: string): Promise<PullView>;
}
