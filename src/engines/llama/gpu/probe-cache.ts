/**
 * Caches the results of probing GPU backends in a small file in the data directory. They hold for one fingerprint of
 * driver, cards and binding (`presence.ts`); with another one the cache counts as empty. A file that cannot be read or
 * written costs another probe at the next start and nothing else.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../../adapters/make-folder.js";
import { gpuBackends } from "../backends.js";
import { failureKinds } from "./failures.js";

const backend = z.enum(gpuBackends);

/** The weights that were loaded, and whatever else decides how much memory that takes. */
const subjectSchema = z.object({ weights: z.string(), sizes: z.string() });
export type LoadSubject = z.infer<typeof subjectSchema>;

const failureSchema = z.object({
  backend,
  /** Where it failed: tried at start, loading weights, or computing replies. */
  during: z.enum(["probe", "load", "run"]),
  kind: z.enum(failureKinds),
  /** One line: the library's own words where it had any. */
  words: z.string().max(200),
  /** Failed with these only; null: with any. */
  subject: subjectSchema.nullable(),
  at: z.iso.datetime(),
});
export type BackendFailure = z.infer<typeof failureSchema>;

const resultsSchema = z.object({
  fingerprint: z.string(),
  driver: z.string(),
  /** Those that were tried and computed something. */
  works: z.array(z.object({ backend, devices: z.array(z.string()), at: z.iso.datetime() })),
  failures: z.array(failureSchema),
});
export type ProbeResults = z.infer<typeof resultsSchema>;

const probeCacheFile = "gpu.json";

export interface ProbeCache {
  /** Null when there is none for this fingerprint. */
  read(fingerprint: string): ProbeResults | null;
  write(results: ProbeResults): void;
  forget(): void;
}

export function probeCacheIn(dataDir: string): ProbeCache {
  const path = join(dataDir, probeCacheFile);
  const unfinished = `${path}.new`;
  return {
    read: (fingerprint) => {
      try {
        const results = resultsSchema.parse(JSON.parse(readFileSync(path, "utf8")));
        return results.fingerprint === fingerprint ? results : null;
      } catch {
        return null;
      }
    },
    write: (results) => {
      try {
        makeFolder(dataDir);
        writeFileSync(unfinished, `${JSON.stringify(results, null, 2)}\n`, { mode: 0o600 });
        renameSync(unfinished, path);
      } catch {
        remove(unfinished);
      }
    },
    forget: () => remove(path),
  };
}

/** For diagnostics, which must not change it. */
export const readOnly = (cache: ProbeCache): ProbeCache => ({
  read: (fingerprint) => cache.read(fingerprint),
  write: () => undefined,
  forget: () => undefined,
});

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // On a disk that cannot be written it stays, and is overwritten when it can.
  }
}
