/**
 * Pulls that are not finished, kept in the models folder beside their partial files, so that a restarted server can
 * offer to continue them. One that failed permanently is not kept: its URL may be signed. Synchronous and small. What
 * cannot be read or written is no loss: the partial files stay, and the same pull continues them.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readJsonFile, writeJsonFile } from "../../adapters/json-file.js";
import { modelIds } from "../../core/models.js";

const schema = z
  .array(
    z.object({
      id: z.uuid(),
      reference: z.string().min(1).max(2000),
      sha256: z.string().nullable(),
      model: z.enum(modelIds).nullable(),
      use: z.boolean().default(false),
      contextTokens: z.int().nullable().default(null),
      /** The files under way, as they are called in the folder. */
      names: z.array(z.string().max(255)).max(1000),
    }),
  )
  .max(100);
export type SavedPull = z.infer<typeof schema>[number];

const pathIn = (folder: string): string => join(folder, "pulls.json");

export const loadPulls = (folder: string): SavedPull[] => readJsonFile(schema, pathIn(folder)) ?? [];

export function savePulls(folder: string, pulls: readonly SavedPull[]): void {
  try {
    if (pulls.length === 0) rmSync(pathIn(folder), { force: true });
    else writeJsonFile(pathIn(folder), pulls);
  } catch {
    // See above.
  }
}
