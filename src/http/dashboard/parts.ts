import type { Dashboard } from "../../core/dashboard.js";
import type { ModelAdmin } from "../../core/model-admin.js";
import type { EngineComputeView, EngineMemberView } from "../../protocol/dashboard.js";
import type { ModelId } from "../../protocol/models.js";
import type { HttpParts } from "../parts.js";

/** What the dashboard's HTTP side is made from. */
export interface DashboardParts {
  http: HttpParts;
  dashboard: Dashboard;
  models: ModelAdmin;
  version: string;
  /** As configured, without a slash at the end; undefined: as the request says. */
  publicUrl: string | undefined;
  queue: (model: ModelId) => { running: number; waiting: number };
  /** `away` while replicas cannot count together. */
  limitsHealth: () => "ok" | "away";
  /** Of the process that runs the model; null when unknown. */
  memoryBytes: (model: ModelId) => number | null;
  /** What a model is computed on; null where no engine of this machine answers. */
  compute: (model: ModelId) => EngineComputeView | null;
  /** The engines of a model's pool; none where one engine answers alone. */
  members: (model: ModelId) => EngineMemberView[];
  /** Folder of the built pages. */
  webDir: string;
}
