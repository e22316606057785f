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
  vision?: boolean | undefined;
}

/** A file in the models folder, or a path on the server. */
export interface WeightsRequest {
  file: string;
  /** Without the check that it fits into memory, for machines whose GPU holds it. */
  force?: boolean | undefined;
  /** Without it as much as memory allows. */
  contextTokens?: number | undefined;
  /** The file of a draft model; null for none. Without it, the file that serves already keeps the one that it has. */
  draft?: string | null | undefined;
}

export interface PullRequest {
  reference: string;
  sha256?: string | undefined;
  model?: ModelId | undefined;
  /** Switches the model over to it as soon as it is here. */
  use?: boolean | undefined;
  /** With this context; without it as much as memory allows. */
  contextTokens?: number | undefined;
}

/** What a look at an engine found. */
export interface EnginePreflight {
  findings: { level: "warn" | "useless" | "refuse"; text: string }[];
}
export interface SourceView {
  type: "starter" | "weights" | "upstreams" | "off";
  /** For a reader: a file's name, or the hosts of engines. */
  label: string;
  /** The file's path, or the engines' addresses. */
  detail: string;
}

/** What a model gets on this machine, or would get with a context that an operator chooses. */
export interface ContextHere {
  /** Of each request: prompt and reply together. */
  contextTokens: number;
  /** Requests that run concurrently. */
  sequences: number;
  cacheType: "f16" | "q8_0" | "q4_0";
  /** Weights, cache and room to work in. */
  memoryBytes: number;
}

export interface WeightsView {
  /** Of the file, and of its further parts where it is split. */
  bytes: number;
  quantisation: string;
  /** Without one it is a base model: it continues texts and takes no conversations. */
  hasChatTemplate: boolean;
  /** That it was trained for; null where the file does not say. */
  contextTokens: number | null;
  /** What it gets unless an operator chooses. */
  here: ContextHere;
}

export interface SpeedView {
  tokensPerSecond: number;
  measuredAt: string;
}

export interface ModelView {
  model: ModelId;
  state: "starting" | "ready" | "asleep" | "waking" | "down" | "off";
  /** What answers now; null when the stored choice cannot be read. */
  source: SourceView | null;
  /** The setting of the configuration that fixes it; null where it can be changed here. */
  fixedBy: string | null;
  /** Answers while this one cannot; null where the configuration names none. */
  fallback: ModelId | null;
  /** Null where an engine elsewhere answers, or the file cannot be read. */
  weights: WeightsView | null;
  contextTokens: number;
  /** Requests that run concurrently. */
  sequences: number;
  /** How the KV cache is kept; null where it is not known. */
  cacheType: ContextHere["cacheType"] | null;
  /** The context that was chosen with the weights; null: as much as memory allows. */
  chosenContextTokens: number | null;
  /** The file of the draft model beside the weights: its name in the models folder, or its path; null without one. */
  draft: string | null;
  /** One stream's rate, as measured on this machine. */
  speed: SpeedView | null;
  /** The same of what a roll back returns to. */
  previousSpeed: SpeedView | null;
  memoryBytes: number | null;
  /** Other models that the same engine serves, in the same memory. */
  sharedWith: ModelId[];
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
  /** That it was trained for. */
  contextTokens: number;
  here: ContextHere;
  /** What an operator can choose from, by length. */
  contexts: ContextHere[];
  /** Expected here, of one reply; null before anything was measured. */
  tokensPerSecond: number | null;
  /** The one to choose on this machine. */
  isBest: boolean;
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
  /** What an operator can choose from, by length. */
  contexts: ContextHere[];
  speed: SpeedView | null;
  /** Expected here; null where it is not known. */
  tokensPerSecond: number | null;
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
  /** Nothing in the catalogue that fits is fast enough to be read along. */
  isAllSlow: boolean;
  files: FileView[];
}

export interface PullView {
  id: string;
  /** What was asked for, without its query string. */
  reference: string;
  /** The model that it was pulled for. */
  model: ModelId | null;
  /** That model is switched over to it as soon as it is here. */
  use: boolean;
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
