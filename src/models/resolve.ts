/**
 * Which file answers for which model. All faults are reported together, each with the setting to change. A
 * file behind several names appears once, so that it is loaded once.
 */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { modelIds, type ModelId } from "../protocol/models.js";
import { checkWeights } from "./check-weights.js";
import type { ModelSource } from "./source.js";
import { ensureStarterWeights, type WeightsNotice, type WeightsProgress } from "./starter.js";
import { WeightsFault } from "./weights-fault.js";

export interface WeightsFile {
  /** Absolute. */
  path: string;
  /** The models it answers for, in the order in which models are listed. */
  models: ModelId[];
}

/** Joins the starter weights where a model uses them. Rejects with `WeightsFault`. */
export async function resolveWeights(
  models: Readonly<Record<ModelId, { weights: string | undefined }>>,
  dataDir: string,
  onProgress?: WeightsProgress,
  onNotice?: WeightsNotice,
  reencodes = true,
): Promise<WeightsFile[]> {
  // The operator's files first: a misspelled path should not wait for the starter weights to be joined.
  await checkOwnFiles(models);

  const files = new Map<string, WeightsFile>();
  for (const id of modelIds) {
    const { weights = "starter" } = models[id];
    const source =
      weights === "starter" ? ({ type: "starter" } as const) : ({ type: "weights", path: weights } as const);
    const path = await prepareWeights(source, { dataDir, onProgress, onNotice, reencodes });
    const identity = await realpath(path);
    const file = files.get(identity) ?? { path, models: [] };
    file.models.push(id);
    files.set(identity, file);
  }
  return [...files.values()];
}

export interface PrepareOptions {
  dataDir: string;
  onProgress?: WeightsProgress | undefined;
  onNotice?: WeightsNotice | undefined;
  reencodes: boolean;
  /** Memory that the weights must fit into; unchecked when absent. */
  availableBytes?: number;
}

/**
 * The absolute path of a file that can be loaded: the starter is made where it is missing, any other file is
 * looked at. Rejects with `WeightsFault`, so that whoever changes over can keep what runs.
 */
export async function prepareWeights(
  source: Exclude<ModelSource, { type: "upstreams" }>,
  { dataDir, availableBytes = Infinity, ...options }: PrepareOptions,
): Promise<string> {
  if (source.type === "starter") return ensureStarterWeights(resolve(dataDir), options);
  const path = resolve(source.path);
  await checkWeights(path, { availableBytes });
  return path;
}

async function checkOwnFiles(
  models: Readonly<Record<ModelId, { weights: string | undefined }>>,
): Promise<void> {
  const faults: string[] = [];
  for (const id of modelIds) {
    const { weights = "starter" } = models[id];
    const reason = weights === "starter" ? null : await findFault(weights);
    if (reason !== null) faults.push(`SOTTO_MODELS_${id.toUpperCase()}_WEIGHTS: ${reason}`);
  }
  if (faults.length === 0) return;
  throw new WeightsFault(
    `${faults.join("\n")}\nSet it to a GGUF file, or to 'starter' for the weights that come with Sotto.`,
  );
}

/** What keeps this file from being used; null when nothing does. Whether it fits is the engine's to find out. */
async function findFault(path: string): Promise<string | null> {
  try {
    await checkWeights(resolve(path), { availableBytes: Infinity });
    return null;
  } catch (error) {
    if (error instanceof WeightsFault) return error.message;
    throw error;
  }
}
