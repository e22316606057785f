/**
 * Caches the results of probing GPU backends in a small file in the data directory. They hold for one fingerprint of
 * driver, cards and binding (`presence.ts`); with another one the cache counts as empty. An unreadable or read-only
 * file only costs another probe at the next start.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readJsonFile, writeJsonFile } from "../../../adapters/json-file.js";
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

export interface ProbeCache {
  /** Null when there is none for this fingerprint. */
  read(fingerprint: string): ProbeResults | null;
  write(results: ProbeResults): void;
  forget(): void;
}

/** `isReadOnly`: for diagnostics, which must not change it. */
export function probeCacheIn(dataDir: string, isReadOnly = false): ProbeCache {
  const path = join(dataDir, "gpu.json");
  const change = (work: () => void) => {
    try {
      if (!isReadOnly) work();
    } catch {
      // On a disk that cannot be written the old one stays, and is overwritten when it can.
    }
  };
  return {
    read: (fingerprint) => {
      const results = readJsonFile(resultsSchema, path);
      return results?.fingerprint === fingerprint ? results : null;
    },
    write: (results) => change(() => writeJsonFile(path, results)),
    forget: () => change(() => rmSync(path, { force: true })),
  };
}
