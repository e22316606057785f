/**
 * Counts that could not be written to the database before the server ended, in a file of the data directory until
 * the next start. Only ids and numbers, as in the database. The file is replaced atomically, so that a full disk or a
 * crash leaves the previous one. Each of several processes has a file of its own; the first one takes up all of them.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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

const spillFile = /^usage-waiting(-\d+)?\.json$/;

/** `own` where it is one of several processes of a server. */
export function usageSpill(dataDir: string, own?: { pid: number; isFirst: boolean }): UsageSpill {
  const path = own === undefined ? usageSpillPath(dataDir) : join(dataDir, `usage-waiting-${own.pid}.json`);
  const unfinished = `${path}.new`;
  /** What the batches in memory were read from. */
  let loaded: string[] = [];
  const removeLoaded = () => {
    for (const file of loaded.splice(0)) rmSync(file, { force: true });
  };
  return {
    load: () => {
      if (own?.isFirst === false || !existsSync(dataDir)) return [];
      loaded = readdirSync(dataDir)
        .filter((name) => spillFile.test(name))
        .map((name) => join(dataDir, name));
      return loaded.flatMap((file) => fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).batches);
    },
    save: (batches) => {
      try {
        const text = JSON.stringify({ batches } satisfies { batches: readonly UsageBatch[] });
        writeFileSync(unfinished, text, { mode: 0o600, flush: true });
        renameSync(unfinished, path);
      } finally {
        rmSync(unfinished, { force: true });
      }
      loaded = loaded.filter((file) => file !== path);
      removeLoaded();
    },
    clear: () => {
      removeLoaded();
      rmSync(path, { force: true });
    },
  };
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
