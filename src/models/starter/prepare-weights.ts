/**
 * Weights that can be loaded: the starter is made where it is missing, any other file is looked at first, so
 * that whoever changes over can keep what runs when it is no good.
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
