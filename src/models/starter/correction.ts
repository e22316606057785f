/**
 * The correction that is merged into the starter weights: a LoRA adapter in `starter/` at the root of the package,
 * trained for exactly one file. The README beside it says how and on what.
 */
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { packageFile } from "../../adapters/program-files.js";
import { hashFile } from "../files/hash-file.js";

export interface Correction {
  path: string;
  bytes: number;
  sha256: string;
  /** The SHA-256 of the weights that it was trained for. */
  baseSha256: string;
}

export const starterCorrection: Correction = {
  path: fileURLToPath(packageFile("starter/correction.gguf")),
  bytes: 29_113_696,
  sha256: "083a1fa57fb67bddaed264eaf151df5a217bdaca13f48d17e3789ca4b3e542d1",
  baseSha256: "9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0",
};

/** Null when it can be merged into these weights; otherwise why not, as the end of a sentence. */
export async function checkCorrection(correction: Correction, baseSha256: string): Promise<string | null> {
  const { path } = correction;
  if (correction.baseSha256 !== baseSha256) return `the correction ${path} is for other weights`;
  const { size } = await stat(path).catch(() => ({ size: null }));
  if (size === null) return `the correction ${path} is missing`;
  if (size !== correction.bytes)
    return `the correction ${path} is damaged: it has ${size} bytes instead of ${correction.bytes}`;
  if ((await hashFile(path)) !== correction.sha256)
    return `the correction ${path} is damaged: it does not match its SHA-256`;
  return null;
}
