/**
 * Counts that could not be written to the database before the server ended, in a file of the data directory until
 * the next start. Only ids and numbers, as in the database. The file is replaced atomically, so that a full disk or a
 * crash leaves the previous one.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { modelIds } from "../core/models.js";
import type { UsageBatch, UsageSpill } from "../core/usage/ports.js";
import type { UsageLeft } from "../core/usage/usage-recorder.js";

const count = z.number().nonnegative();

const fileSchema = z.object({
  batches: z.array(
    z.object({
      id: z.string(),
      rows: z.array(
        z.object({
          accountId: z.string(),
          keyId: z.string(),
          model: z.enum(modelIds).nullable(),
          start: z.coerce.date(),
          requests: count,
          errors: count,
          rateLimited: count,
          unavailable: count,
          promptTokens: count,
          completionTokens: count,
          firstTokenMs: count,
          firstTokens: z.array(count),
          firstTokenMinMs: count.nullable(),
          firstTokenMaxMs: count.nullable(),
        }),
      ),
      // Absent in a file of a version without quotas.
      days: z
        .array(
          z.object({
            accountId: z.string(),
            keyId: z.string(),
            day: z.string(),
            requests: count,
            tokens: count,
          }),
        )
        .default([]),
    }),
  ),
});

export const usageSpillPath = (dataDir: string): string => join(dataDir, "usage-waiting.json");

export function usageSpill(dataDir: string): UsageSpill {
  const path = usageSpillPath(dataDir);
  const unfinished = `${path}.new`;
  return {
    load: () => {
      if (!existsSync(path)) return [];
      return fileSchema.parse(JSON.parse(readFileSync(path, "utf8"))).batches;
    },
    save: (batches) => {
      try {
        writeToDisk(unfinished, JSON.stringify({ batches } satisfies { batches: readonly UsageBatch[] }));
        renameSync(unfinished, path);
      } finally {
        rmSync(unfinished, { force: true });
      }
    },
    clear: () => rmSync(path, { force: true }),
  };
}

function writeToDisk(path: string, text: string): void {
  const file = openSync(path, "w", 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Tells the operator what became of usage that was not in the database when the server ended. */
export function usageNotice(
  { outcome, requests, promptTokens, completionTokens }: UsageLeft,
  dataDir: string,
): string {
  const counts = `${requests} requests, ${promptTokens} prompt tokens, ${completionTokens} completion tokens`;
  if (outcome === "lost") {
    return `Usage was LOST: ${counts}. The database could not be reached, and ${usageSpillPath(dataDir)} could not be written.`;
  }
  return `The database could not be reached: usage is not in it yet (${counts}). It was saved in ${usageSpillPath(dataDir)} and is counted at the next start on this data directory.`;
}
