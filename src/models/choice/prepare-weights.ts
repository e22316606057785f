/**
 * Prepares weights for loading: the starter is created where it is missing, any other file is checked first, so
 * that a switch to an unusable file leaves the running one in place.
 */
import { resolve } from "node:path";
import { checkWeights } from "../gguf/check-weights.js";
import type { ModelSource } from "./source.js";
import { ensureStarterWeights, type WeightsNotice, type WeightsProgress } from "../starter/starter.js";

export interface PrepareOptions {
  dataDir: string;
  onProgress?: WeightsProgress | undefined;
  onNotice?: WeightsNotice | undefined;
  corrects: boolean;
}

/** Its absolute path. Rejects with `WeightsError`. */
export async function prepareWeights(
  source: Exclude<ModelSource, { type: "upstreams" }>,
  { dataDir, ...options }: PrepareOptions,
): Promise<string> {
  if (source.type === "starter") return ensureStarterWeights(resolve(dataDir), options);
  const path = resolve(source.path);
  // Whether it fits into memory was checked when it was chosen.
  await checkWeights(path, { availableBytes: Infinity });
  return path;
}
