/**
 * Whether a file is still the one that was verified. Hashing hundreds of megabytes on every start would take longer
 * than loading the model, so size and modification time of a verified file are recorded beside it, and it is hashed
 * again only when they differ. Size and magic number are always checked. That catches an aborted copy, a truncated or
 * restored file, an edit. To detect bytes that changed under an unchanged time, remove the record.
 */
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import * as z from "zod";
import { parseStored } from "../../adapters/json-file.js";
import { hasGgufMagic } from "../gguf/gguf.js";
import { hashFile } from "./hash-file.js";

interface Expected {
  bytes: number;
  sha256: string;
}

/** What is noted of a file that was hashed. */
export const digestSchema = z.object({ bytes: z.number(), mtimeMs: z.number(), sha256: z.string() });

/** The hash in a note, unless the file has changed since. */
export const digestIn = (
  note: z.infer<typeof digestSchema> | null,
  { size, mtimeMs }: { size: number; mtimeMs: number },
): string | null => (note?.bytes === size && note.mtimeMs === mtimeMs ? note.sha256 : null);

/** Null when the file is sound; otherwise what is wrong with it, as the end of a sentence, or `absent`. */
export async function findDamage(
  path: string,
  expected: Expected,
  onProgress?: (doneBytes: number, totalBytes: number) => void,
): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return "absent";
  if (found.size !== expected.bytes) return `has ${found.size} bytes instead of ${expected.bytes}`;
  if (!(await hasGgufMagic(path))) return "is not a GGUF file";

  if ((await verifiedDigest(path, found)) === expected.sha256) return null;

  const sha256 = await hashFile(path, {
    onProgress: (doneBytes) => onProgress?.(doneBytes, expected.bytes),
  });
  if (sha256 !== expected.sha256) return "does not match its SHA-256";
  await noteVerified(path, expected);
  return null;
}

/** Call when the file is known to be whole. */
export async function noteVerified(path: string, { sha256 }: Pick<Expected, "sha256">): Promise<void> {
  try {
    const { size, mtimeMs } = await stat(path);
    await writeFile(notePath(path), JSON.stringify({ bytes: size, mtimeMs, sha256 }), { mode: 0o600 });
  } catch {
    // A folder that cannot be written still serves; the file is hashed again next time.
  }
}

/** The hash that is noted of a file which has not changed since; null without one that can be read. */
export const verifiedDigest = async (
  path: string,
  file: { size: number; mtimeMs: number },
): Promise<string | null> =>
  digestIn(parseStored(digestSchema, await readFile(notePath(path), "utf8").catch(() => null)), file);

export async function removeVerified(path: string): Promise<void> {
  await rm(path, { force: true });
  await removeNote(path);
}

/** Removes the note only. */
export const removeNote = (path: string): Promise<void> => rm(notePath(path), { force: true });

const notePath = (path: string): string => `${path}.verified.json`;
