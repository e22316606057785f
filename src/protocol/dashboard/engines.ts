/** Engines in the dashboard's API, for admins. `api.ts` says what all of it has in common. */
import type { ComputeBackend } from "../../core/model-views.js";
import type { ModelId } from "../../core/models.js";
import type { EngineStatus } from "../../core/serving/engine-port.js";

/** GET /api/admin/engines → { engines: EngineView[] } */
export interface EngineView {
  /** Those it serves: one, or several that share it. */
  models: ModelId[];
  serving: string;
  state: EngineStatus["state"];
  active: number;
  capacity: number;
  waiting: number;
  contextTokens: number;
  restarts: number;
  /** Over the last ten seconds, replies under way included. */
  tokensPerSecond: number;
  memoryBytes: number | null;
  queueWaitMsP50: number | null;
  /** What it is computed on; null where no engine of this machine answers. */
  compute: EngineComputeView | null;
  /** The engines of its pool; none where one engine answers alone. */
  members: EngineMemberView[];
  /** Why it cannot answer, or why its process last ended, in a sentence with advice. */
  problem: string | null;
}

/** GET /api/admin/model-suggestion → { suggestion: ModelSuggestion | null }; null unless the starter answers. */
export interface ModelSuggestion {
  /** The first that the starter answers for. */
  model: ModelId;
  /** The best of the catalogue that this machine holds and runs fast enough; null when none fits. */
  best: {
    id: string;
    title: string;
    bytes: number;
    goodFor: string;
    /** What it gets here. */
    contextTokens: number;
    /** Expected here; null before anything was measured. */
    tokensPerSecond: number | null;
    /** Nothing that fits is fast enough to be read along: this is the fastest. */
    isSlow: boolean;
  } | null;
  /** Gets it; or lists the catalogue. */
  command: string;
}

export interface EngineComputeView {
  backend: ComputeBackend;
  /** GPU backends that are not used, why, and what to do about it. */
  failures: { backend: "cuda" | "vulkan" | "metal"; reason: string; advice: string }[];
}

export interface EngineMemberView {
  /** An address, or a file. */
  id: string;
  /** The same for a reader: the host and its kind, or the file's name. */
  serving: string;
  state: EngineStatus["state"];
  /** Left out while it fails, or on its way out. */
  note: "" | "left out" | "leaving";
  weight: number;
  active: number;
  /** Why it cannot answer, or why its process last ended. */
  problem: string | null;
}
