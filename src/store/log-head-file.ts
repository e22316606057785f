/**
 * The last head of the statement log, in a file of the data directory: a database that was restored from an old backup
 * is found out by it.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { HeadMemory } from "../core/proof/statement-log.js";

const headSchema = z.object({ size: z.int().min(0), root: z.string().regex(/^[0-9a-f]{64}$/) });

/** Where it cannot be written, a loss is found by the processes that remember it themselves. */
export function logHeadFile(dataDir: string): HeadMemory {
  const file = join(dataDir, "statement-log.json");
  return {
    read: () => {
      try {
        return headSchema.parse(JSON.parse(readFileSync(file, "utf8")));
      } catch {
        return null;
      }
    },
    write: ({ size, root }) => {
      try {
        writeFileSync(`${file}.new`, `${JSON.stringify({ size, root })}\n`, { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch {
        return;
      }
    },
  };
}
