/**
 * Weights that can be loaded: the starter is created where it is missing, any other file is checked first, so
 * that a switch to a file that cannot be used leaves the running one in place.
 */
import { resolve } from "node:path";
import { checkWeights } from "../gguf/check-weights.js";
import type { ModelSource } from "../choice/source.js";
import { ensureStarterWeights, type WeightsNotice, type WeightsProgress } from "./starter.js";

export interface PrepareOptions {
  dataDir: string;
  onProgress?: WeightsProgress | undefined;
  onNotice?: WeightsNotice | undefined;
  corrects: boolean;
  /** Memory that the weights must fit into; unchecked when absent. */
  availableBytes?: number;
}

/** Its absolute path. Rejects with `WeightsError`. */
export async function prepareWeights(
  source: Exclude<ModelSource, { type: "upstreams" }>,
  { dataDir, availableBytes = Infinity, ...options }: PrepareOptions,
): Promise<string> {
  if (source.type === "starter") return ensureStarterWeights(resolve(dataDir), options);
  const path = resolve(source.path);
  await checkWeights(path, { availableBytes });
  return path;
}
