/**
 * Pulls that are not finished, kept in the models folder beside their partial files, so that a restarted server can
 * offer to continue them. One that failed permanently is not kept: its URL may be signed. Synchronous and small. What
 * cannot be read or written is no loss: the partial files stay, and the same pull continues them.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../adapters/make-folder.js";
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

export function loadPulls(folder: string): SavedPull[] {
  try {
    return schema.parse(JSON.parse(readFileSync(join(folder, fileName), "utf8")));
  } catch {
    return [];
  }
}

export function savePulls(folder: string, pulls: readonly SavedPull[]): void {
  const path = join(folder, fileName);
  try {
    if (pulls.length === 0) {
      rmSync(path, { force: true });
      return;
    }
    makeFolder(folder);
    writeFileSync(`${path}.new`, JSON.stringify(pulls), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // See above.
  }
}

const fileName = "pulls.json";
