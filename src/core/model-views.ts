/** What answers for the models, what could, and what admins ask for: shown and entered on the page of models. */
import type { ModelAlias } from "./model-aliases.js";
import type { ModelId } from "./models.js";

/** Kinds of engines on the network; what is known of each is in `engines/upstream/profiles.ts`. */
export const upstreamProfiles = ["vllm", "sglang", "llama-server", "ollama", "openai"] as const;

export type ComputeBackend = "cuda" | "vulkan" | "metal" | "cpu";

/** An engine on the network. Its key goes in and never comes out. */
export interface EngineRequest {
  url: string;
  profile: (typeof upstreamProfiles)[number];
  name?: string | undefined;
  key?: string | undefined;
  contextTokens?: number | undefined;
  acceptSharedCache?: boolean | undefined;
  allowPublic?: boolean | undefined;
}

export interface PullRequest {
  reference: string;
  sha256?: string | undefined;
  model?: ModelId | undefined;
}

/** What a look at an engine found. */
export interface EnginePreflight {
  findings: { level: "warn" | "useless" | "refuse"; text: string }[];
}
export interface SourceView {
  type: "starter" | "weights" | "upstreams";
  /** For a reader: a file's name, or the hosts of engines. */
  label: string;
  /** The file's path, or the engines' addresses. */
  detail: string;
}

export interface WeightsView {
  /** Of the file, and of its further parts where it is split. */
  bytes: number;
  quantisation: string;
  /** That it was trained for; null where the file does not say. */
  contextTokens: number | null;
  /** With the engine's usual room for conversations. */
  memoryNeedBytes: number;
}

export interface SpeedView {
  tokensPerSecond: number;
  measuredAt: string;
}

export interface ModelView {
  model: ModelId;
  state: "starting" | "ready" | "asleep" | "waking" | "down";
  /** What answers now; null when the stored choice cannot be read. */
  source: SourceView | null;
  /** The setting of the configuration that fixes it; null where it can be changed here. */
  fixedBy: string | null;
  /** Null where an engine elsewhere answers, or the file cannot be read. */
  weights: WeightsView | null;
  contextTokens: number;
  /** One stream's rate, as measured on this machine. */
  speed: SpeedView | null;
  memoryBytes: number | null;
  compute: ComputeBackend | null;
  /** What a roll back returns to; null when nothing was changed yet. */
  previous: SourceView | null;
  /** A change that is under way, or that failed and was taken back. */
  change: { state: "switching" | "failed"; to: SourceView; reason: string } | null;
}

export interface ModelsNow {
  models: ModelView[];
  pulls: PullView[];
  /** From the configuration. */
  aliases: ModelAlias[];
}

export interface CatalogView {
  /** What a pull takes as its reference. */
  id: string;
  title: string;
  licence: string;
  parametersBillion: number;
  bytes: number;
  memoryNeedBytes: number;
  contextTokens: number;
  suits: ModelId[];
  goodFor: string;
  /** `tight`: with fewer or shorter conversations than usual. */
  fits: "yes" | "tight" | "no";
  /** Its file in the models folder, when it is there already. */
  file: string | null;
}

export interface FileView {
  /** In the models folder; or the path of one elsewhere that a model uses. */
  file: string;
  /** Null when it cannot be used: `problem` says why. */
  weights: WeightsView | null;
  problem: string | null;
  fits: "yes" | "tight" | "no";
  speed: SpeedView | null;
  /** The models it answers for. */
  models: ModelId[];
}

export interface ModelChoicesView {
  folder: string;
  freeDiskBytes: number;
  availableMemoryBytes: number;
  /** Where pulls may come from. */
  hosts: string[];
  catalog: CatalogView[];
  files: FileView[];
}

export interface PullView {
  id: string;
  /** What was asked for, without its query string. */
  reference: string;
  /** The model that it was pulled for. */
  model: ModelId | null;
  state: "waiting" | "running" | "checking" | "paused" | "done" | "failed";
  /** The file under way; empty before it is known. */
  file: string;
  fileNumber: number;
  fileCount: number;
  doneBytes: number;
  totalBytes: number | null;
  bytesPerSecond: number | null;
  /** Why it failed or pauses; empty otherwise. */
  reason: string;
}
