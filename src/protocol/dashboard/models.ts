/**
 * The part of the dashboard's API that is about what answers for the models, for admins: see `api.ts` for what
 * holds for all of it. Keys of engines and tokens go in and never come out.
 */
import * as z from "zod";
import { shownBound } from "../../core/bounds.js";
import type { EngineComputeView } from "./engines.js";
import { engineBounds, upstreamProfiles } from "../engine-member.js";
import type { ModelAlias } from "../../core/model-aliases.js";
import { modelIds, type ModelId } from "../../core/models.js";

// ------------------------------------------------------------------------------------------ what answers

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
  compute: EngineComputeView["backend"] | null;
  /** What a roll back returns to; null when nothing was changed yet. */
  previous: SourceView | null;
  /** A change that is under way, or that failed and was taken back. */
  change: { state: "switching" | "failed"; to: SourceView; reason: string } | null;
}

/** GET /api/admin/models: polled while something is under way. */
export interface ModelsNow {
  models: ModelView[];
  pulls: PullView[];
  /** From the configuration. */
  aliases: ModelAlias[];
}

// -------------------------------------------------------------------------------------------- the choices

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

/** GET /api/admin/models/choices */
export interface ModelChoicesView {
  folder: string;
  freeDiskBytes: number;
  availableMemoryBytes: number;
  /** Where pulls may come from. */
  hosts: string[];
  catalog: CatalogView[];
  files: FileView[];
}

// ------------------------------------------------------------------------------------------------- changes

const line = (words: string, max: number) =>
  z
    .string(words)
    .trim()
    .min(1, words)
    .max(max, `Use at most ${shownBound(max)} characters.`);
const yesOrNo = (words: string) => z.boolean(words).optional();

/** POST /api/admin/models/:id/weights → {}: a file in the models folder, or a path on the server */
export const useWeightsBody = z.object({
  file: line("Enter a file in the models folder, or its whole path.", 4096),
  /** Without the check that it fits into memory, for machines whose GPU holds it. */
  force: yesOrNo("Choose whether to skip the memory check."),
});

const { min: fewestTokens, max: mostTokens } = engineBounds.contextTokens;
const contextWords = `Enter a whole number of tokens from ${fewestTokens} to ${shownBound(mostTokens)}.`;
/** POST /api/admin/models/:id/engine → {} */
export const engineBody = z.object({
  url: line("Enter the engine's address.", 2000).refine(isWebAddress, {
    error: "Enter an address such as http://gpu-1:8000/v1.",
  }),
  profile: z.enum(upstreamProfiles, `Choose one of ${upstreamProfiles.join(", ")}.`),
  name: line("Enter the model's name on the engine.", 200).optional(),
  key: line("Enter the engine's key.", 1000).optional(),
  contextTokens: z
    .number(contextWords)
    .int(contextWords)
    .min(fewestTokens, contextWords)
    .max(mostTokens, contextWords)
    .optional(),
  acceptSharedCache: yesOrNo("Choose whether to accept a shared prompt cache."),
  allowPublic: yesOrNo("Choose whether to allow a public address."),
});
export type EngineBody = z.infer<typeof engineBody>;
/** POST /api/admin/models/preflight → EnginePreflight: looks at an engine and changes nothing */
export interface EnginePreflight {
  findings: { level: "warn" | "useless" | "refuse"; text: string }[];
}
// POST /api/admin/models/:id/default → {}    POST /api/admin/models/:id/roll-back → {}

// --------------------------------------------------------------------------------------------------- pulls

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

/** POST /api/admin/pulls → PullView */
export const pullBody = z.object({
  reference: line("Enter hf:owner/repo or the https address of a .gguf file.", 2000),
  sha256: z
    .string("Enter the SHA-256 of the file.")
    .regex(/^[0-9a-fA-F]{64}$/, "A SHA-256 has 64 hexadecimal digits.")
    .optional(),
  model: z.enum(modelIds, `Choose one of ${modelIds.join(", ")}.`).optional(),
});
export type PullBody = z.infer<typeof pullBody>;
// POST /api/admin/pulls/:id/pause | /resume → PullView    DELETE /api/admin/pulls/:id → {}: cancels, or clears

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/^[^/]*\/\/[^/]*@/.test(text);
}
