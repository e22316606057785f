/**
 * Creates a folder, and those above it that are missing, for this user alone. Not by mkdir's own `recursive`: Node
 * (seen in 20.20) tries again and again, on the event loop's thread and without end, where the file system answers
 * ENOENT though the parent exists, as /proc does.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Throws the system's error where it cannot be created. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
