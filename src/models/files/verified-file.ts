/**
 * Whether a file is still the one that was verified. Hashing hundreds of megabytes on every start would take longer
 * than loading the model, so size and modification time of a verified file are recorded beside it, and it is hashed
 * again only when they differ. Size and magic number are always checked. That catches an aborted copy, a truncated or
 * restored file, an edit. To detect bytes that changed under an unchanged time, remove the record.
 */
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import * as z from "zod";
import { hasGgufMagic } from "../gguf/gguf.js";
import { hashFile } from "./hash-file.js";

interface Expected {
  bytes: number;
  sha256: string;
}

const noteSchema = z.object({ bytes: z.number(), mtimeMs: z.number(), sha256: z.string() });

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

  const note = await readNote(path);
  if (note?.bytes === found.size && note.mtimeMs === found.mtimeMs && note.sha256 === expected.sha256)
    return null;

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

/** The hash that is noted of a file which has not changed since; null without one. */
export async function verifiedDigest(
  path: string,
  { size, mtimeMs }: { size: number; mtimeMs: number },
): Promise<string | null> {
  const note = await readNote(path);
  return note?.bytes === size && note.mtimeMs === mtimeMs ? note.sha256 : null;
}

export async function removeVerified(path: string): Promise<void> {
  await rm(path, { force: true });
  await removeNote(path);
}

/** Removes the note only. */
export const removeNote = (path: string): Promise<void> => rm(notePath(path), { force: true });

/** Null when there is none that can be read: then the file is hashed. */
async function readNote(path: string): Promise<z.infer<typeof noteSchema> | null> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(notePath(path), "utf8")));
  } catch {
    return null;
  }
}

const notePath = (path: string): string => `${path}.verified.json`;
