import { join } from "node:path";
import { newDataDir, startSotto, type SottoProcess } from "./sotto-process.js";
import { writeTinyGguf, type TinyModel } from "../engines/tiny-gguf.js";

/** The built program with the real engine on a tiny model: starts in a second, says nothing sensible. */
export async function startTinySotto(
  env: Record<string, string> = {},
  model: TinyModel = {},
): Promise<SottoProcess> {
  const weights = join(newDataDir(), "tiny.gguf");
  writeTinyGguf(weights, model);
  return startSotto({ env: { ...servedBy(weights), ...env } });
}

/** Every model from one small file, on one thread: several would wait for each other longer than they compute. */
export const servedBy = (weights: string) => ({
  SOTTO_ENGINE_THREADS: "1",
  SOTTO_MODELS_OMEGA_WEIGHTS: weights,
  SOTTO_MODELS_PRISM_WEIGHTS: weights,
  SOTTO_MODELS_LAMBDA_WEIGHTS: weights,
});
