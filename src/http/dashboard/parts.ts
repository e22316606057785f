import type { LiveMinute } from "../../core/admin/service-views.js";
import type { ModelAdmin } from "../../core/admin/model-admin.js";
import type { ModelId } from "../../core/models.js";
import type { KeptMemory } from "../../core/serving/kept-memory.js";
import type { DashboardServices } from "./services.js";
import type { HttpParts } from "../parts.js";
import type { LimitsNow, ModelWeightsView } from "../../protocol/dashboard/api.js";
import type {
  EngineComputeView,
  EngineMemberView,
  EngineView,
  ModelSuggestion,
} from "../../protocol/dashboard/engines.js";

/** What a process does at this moment. */
export interface LiveView {
  engines: EngineView[];
  queues: LimitsNow["queues"];
  minutes: LiveMinute[];
  tokensPerSecond: number;
}

/** What the dashboard's HTTP side depends on. */
export interface DashboardParts {
  http: HttpParts;
  dashboard: DashboardServices;
  /** What is kept of accounts' conversations. */
  memory: Pick<KeptMemory, "of" | "forgetEverywhere">;
  models: ModelAdmin;
  version: string;
  /** As configured, without a slash at the end; undefined: as the request says. */
  publicUrl: string | undefined;
  /** The address or name that is listened on, and this machine's own name: what `Host` may say. */
  listenHost: string;
  machineName: string;
  /** What feed readers know the changelog by. The same for all replicas and at every start. */
  feedId: string;
  queue: (model: ModelId) => { running: number; waiting: number };
  /** Every model once; those that share an engine, and with it a queue, are together. */
  sharers: () => ModelId[][];
  /** The longest reply to a request without `max_tokens`. */
  defaultMaxTokens: (model: ModelId) => number;
  /** `degraded` while replicas cannot count together. */
  limitsHealth: () => "ok" | "degraded";
  /** Of the process that runs the model; null when unknown. */
  memoryBytes: (model: ModelId) => number | null;
  /** What a model is computed on; null where no engine of this machine answers. */
  compute: (model: ModelId) => EngineComputeView | null;
  /** The engines of a model's pool; none where one engine answers alone. */
  members: (model: ModelId) => EngineMemberView[];
  /** The file that answers for a model on this machine; null where none does. */
  weights: (model: ModelId) => Promise<ModelWeightsView | null>;
  /** What to use instead of the starter; null where it does not answer. */
  suggestion: () => ModelSuggestion | null;
  /** Copies the database while the server runs; null where it is Postgres, which has its own tools. */
  backupCommand: string | null;
  /** The commands in a text as they can be typed on this machine. */
  typed: (text: string) => string;
  /** Of every process of this server that answers; absent where it is one. */
  processViews?: () => Promise<LiveView[]>;
  /** Folder of the built pages. */
  webDir: string;
}
