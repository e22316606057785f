/** JSON that was stored, in a small file or a setting: what is damaged, or of another version, counts as missing. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";
import { makeFolder } from "./make-folder.js";

export function parseStored<T>(schema: z.ZodType<T>, text: string | null): T | null {
  try {
    return text === null ? null : schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function readJsonFile<T>(schema: z.ZodType<T>, path: string): T | null {
  try {
    return parseStored(schema, readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** For its owner alone, whole or not at all. Throws the system's error. */
export function writeJsonFile(path: string, value: unknown): void {
  const unfinished = `${path}.new`;
  try {
    makeFolder(dirname(path));
    writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
