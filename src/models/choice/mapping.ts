/**
 * The source of each of the models. A file given in the configuration takes precedence; then what `sotto
 * models use` stored; then the starter weights.
 *
 * A running server calls `readMapping` at its start, when the table of changes says that a model was changed, and
 * on SIGHUP, and compares with what it runs by `sameSource`. Four small rows are read; nothing is opened. A row that
 * cannot be read (written by a newer version, or by hand) is reported as such and not guessed at: a running server
 * keeps what it runs.
 */
import { isDeepStrictEqual } from "node:util";
import { parseStored } from "../../adapters/json-file.js";
import type { Store } from "../../core/store.js";
import type { EngineMember } from "../../protocol/engine-member.js";
import { forEachModel, isChatModelId, modelIds, type ModelId } from "../../core/models.js";
import { modelSourceSchema, sourceSetting, starterOf, weightsSource, type ModelSource } from "./source.js";

export type DesiredSource =
  | { type: "source"; source: ModelSource; from: "configuration" | "setting" | "default" }
  | { type: "unreadable"; reason: string };

export type Mapping = Readonly<Record<ModelId, DesiredSource>>;

/** The part of the configuration that matters here: `weights` is undefined when it was not given. */
export type ConfiguredModels = Readonly<
  Record<
    ModelId,
    {
      weights: string | undefined;
      draft?: string | undefined;
      upstreams?: readonly EngineMember[];
      fallback?: ModelId | undefined;
    }
  >
>;

export async function readMapping(
  store: Pick<Store, "getSetting">,
  models: ConfiguredModels,
): Promise<Mapping> {
  const rows = await Promise.all(modelIds.map((model) => store.getSetting(sourceSetting(model))));
  return mapModels(models, (model) => rows[modelIds.indexOf(model)] ?? null);
}

export function mapModels(models: ConfiguredModels, setting: (model: ModelId) => string | null): Mapping {
  return forEachModel((model) => configuredSource(models, model) ?? storedSource(model, setting(model)));
}

/** Null when the configuration leaves the model open. */
export function configuredSource(models: ConfiguredModels, model: ModelId): DesiredSource | null {
  const { weights, draft, upstreams = [] } = models[model];
  const from = (source: ModelSource) => ({ type: "source", source, from: "configuration" }) as const;
  if (upstreams.length > 0) return from({ type: "upstreams", upstreams: [...upstreams] });
  if (draft !== undefined && (weights === undefined || weights === "starter"))
    return {
      type: "unreadable",
      reason: `SOTTO_MODELS_${model.toUpperCase()}_DRAFT needs a file in SOTTO_MODELS_${model.toUpperCase()}_WEIGHTS`,
    };
  if (weights === undefined) return null;
  if (weights === "off" && !isChatModelId(model)) return from({ type: "off" });
  const source = weightsSource(weights, model);
  return from(source.type === "weights" && draft !== undefined ? { ...source, draft } : source);
}

export const sameSource = (a: ModelSource, b: ModelSource): boolean => isDeepStrictEqual(a, b);

function storedSource(model: ModelId, row: string | null): DesiredSource {
  if (row === null || row === "") return { type: "source", source: starterOf(model), from: "default" };
  const source = parseStored(modelSourceSchema, row);
  if (source !== null) return { type: "source", source, from: "setting" };
  return {
    type: "unreadable",
    reason: "the stored setting cannot be read: choose again with sotto models use",
  };
}
