/**
 * Why a data directory is not writable, found out by trying: a file system may be full or read-only, or refuse this
 * user, whatever the mode of the folder. SQLite's own messages ("disk I/O error", "unable to open database file") do
 * not distinguish these.
 */
import { accessSync, constants, lstatSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** About what SQLite needs to begin: its shared memory and a few pages. */
const probeBytes = 64 * 1024;

const another = "or choose another directory with SOTTO_DATA_DIR or --data-dir";

export interface DataDirError {
  /** Which directory, and what is wrong with it, with the system's code. */
  reason: string;
  /** How to fix it. */
  next: string;
}

/** Null when it can be written to. Leaves nothing behind, and does not create the directory. */
export function findDataDirError(dataDir: string): DataDirError | null {
  const folder = resolve(dataDir);
  const existing = nearestExisting(folder);
  try {
    if (!statSync(existing).isDirectory()) {
      return { reason: `${existing} is not a directory (ENOTDIR)`, next: `Remove that file, ${another}.` };
    }
  } catch (error) {
    return {
      reason: `${existing} is a link that leads nowhere (${codeOf(error)})`,
      next: `Correct that link, ${another}.`,
    };
  }
  const code = tryWriting(existing);
  if (code === "ENOENT") {
    return {
      reason: `The data directory ${folder} cannot be written to: nothing can be created in ${existing} (ENOENT)`,
      next: "Choose another directory with SOTTO_DATA_DIR or --data-dir.",
    };
  }
  return code === null ? null : describeCode(code, folder);
}

/** Null when this user may read and write the file, or there is none. */
export function findFileError(path: string): DataDirError | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return null;
    return {
      reason: `${path} cannot be read and written by this user (${code})`,
      next: "Give the file to the user that runs Sotto.",
    };
  }
}

const noPermission = [
  ": this user has no permission",
  "Give the directory to the user that runs Sotto",
] as const;

const explanations: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  ENOSPC: [": its disk is full", "Make room on that disk"],
  EDQUOT: [": the disk quota of this user is used up", "Raise the quota or remove files"],
  EROFS: [": its file system is read-only", "Mount it for writing"],
  EACCES: noPermission,
  EPERM: noPermission,
};

function describeCode(code: string, folder: string): DataDirError {
  const [reason, next] = explanations[code] ?? ["", "Check its disk"];
  return {
    reason: `The data directory ${folder} cannot be written to${reason} (${code})`,
    next: `${next}, ${another}.`,
  };
}

/** The system's code of what went wrong; null when all went well. */
function tryWriting(folder: string): string | null {
  const path = join(folder, `.write-test-${process.pid}`);
  try {
    try {
      writeFileSync(path, Buffer.alloc(probeBytes), { mode: 0o600, flush: true });
    } finally {
      rmSync(path, { force: true });
    }
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

/** The folder itself or the nearest above it; a link counts though what it leads to may not exist. */
function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  if (parent === folder) return folder;
  try {
    lstatSync(folder);
    return folder;
  } catch {
    return nearestExisting(parent);
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error";
