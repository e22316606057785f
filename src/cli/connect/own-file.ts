/**
 * A configuration file that belongs to the user. It is replaced atomically, and its previous content is kept beside it:
 * `<file>.before-sotto` has its bytes, `<file>.sotto-state` whether there was a file at all and a hash of what Sotto
 * wrote, so that `restore` can detect later changes by the user. Both are readable by the user alone, since such files
 * hold keys. Backup and state are written before the file: a crash in between loses nothing.
 */
import { createHash, randomBytes } from "node:crypto";
import { chmod, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../adapters/make-folder.js";
import { UserError } from "../../core/user-error.js";

const maxBytes = 1024 * 1024;
const privateMode = 0o600;

export interface FileNow {
  /** With symbolic links resolved: people link to such files in a folder of their own. */
  path: string;
  bytes: Buffer | null;
  text: string;
  mode: number;
}

const stateSchema = z.object({ existed: z.boolean(), mode: z.number().int(), sha256: z.string() });
type State = z.infer<typeof stateSchema>;

/** Throws `UserError` if it cannot be a configuration file. */
export async function readOwnFile(named: string): Promise<FileNow> {
  const path = await realpath(named).catch(() => named);
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null) return { path, bytes: null, text: "", mode: privateMode };
  if (!found.isFile()) throw new UserError(`${named} is not a file.`);
  if (found.size > maxBytes) throw new UserError(`${named} is too large for a configuration file.`);
  const bytes = await readFile(path);
  return { path, bytes, text: textOf(bytes, named), mode: found.mode & 0o777 };
}

/** A second write keeps the backup of the first, unless the user has edited the file in between. */
export async function writeOwnFile(
  { path, bytes, mode }: FileNow,
  text: string,
): Promise<{ backup: string | null }> {
  makeFolder(dirname(path));
  const state = await readState(path);
  const isOurs = state !== null && bytes !== null && state.sha256 === hash(bytes);
  const kept: Omit<State, "sha256"> = isOurs ? state : { existed: bytes !== null, mode };
  if (!isOurs) {
    if (bytes === null) await rm(backupOf(path), { force: true });
    else await replace(backupOf(path), bytes, privateMode);
  }
  const written = Buffer.from(text);
  await replace(stateOf(path), JSON.stringify({ ...kept, sha256: hash(written) }), privateMode);
  await replace(path, written, mode);
  return { backup: kept.existed ? backupOf(path) : null };
}

/** Restores the state before the first write: the same bytes, or no file. */
export async function restoreOwnFile(
  named: string,
): Promise<"restored" | "removed" | "unchanged" | "never written"> {
  const { path, bytes } = await readOwnFile(named);
  const state = await readState(path);
  if (state === null) return "never written";
  const before = state.existed ? await readFile(backupOf(path)) : null;
  if (isSame(bytes, before)) {
    await forget(path);
    return "unchanged";
  }
  if (bytes === null || hash(bytes) !== state.sha256) {
    const advice =
      before === null
        ? "Before, there was no file: remove Sotto's settings by hand"
        : `What it was before is in ${backupOf(path)}: compare them, and take over what you need by hand`;
    throw new UserError(`${named} has been changed since, and stays as it is. ${advice}.`);
  }
  if (before === null) await rm(path);
  else await replace(path, before, state.mode);
  await forget(path);
  return before === null ? "removed" : "restored";
}

const backupOf = (path: string): string => `${path}.before-sotto`;
const stateOf = (path: string): string => `${path}.sotto-state`;

async function forget(path: string): Promise<void> {
  await rm(stateOf(path), { force: true });
  await rm(backupOf(path), { force: true });
}

async function readState(path: string): Promise<State | null> {
  const text = await readFile(stateOf(path), "utf8").catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    throw new UserError(`${stateOf(path)} is damaged. Remove it; a backup may be in ${backupOf(path)}.`);
  }
}

/** Atomic: written under another name, flushed, then renamed. */
async function replace(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", privateMode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function textOf(bytes: Uint8Array, named: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UserError(`${named} is not text in UTF-8, and was not changed.`);
  }
}

const isSame = (a: Buffer | null, b: Buffer | null): boolean =>
  a === null || b === null ? a === b : a.equals(b);

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
