/**
 * The key that the service's secrets are encrypted under: as configured, or from a file in the data directory, which is
 * created at the first start. It is not in the database and not in its backups.
 */
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../core/user-error.js";
import { makeFolder } from "./make-folder.js";

export const serviceKeyFile = (dataDir: string): string => join(dataDir, "service.key");

export function readServiceKey(configured: string | undefined, dataDir: string): Buffer {
  if (configured !== undefined) return Buffer.from(configured);
  const file = serviceKeyFile(dataDir);
  const key = readKey(file);
  if (key !== null) return key;
  makeFolder(dataDir);
  // Linked into place as a whole: another process may do the same at this moment, and the first one wins.
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(file) ?? unusable(file);
}

function readKey(file: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const key = Buffer.from(text, "base64url");
  return key.length >= 32 ? key : unusable(file);
}

function unusable(file: string): never {
  throw new UserError(
    `${file} is not a service key. Restore it from a copy; if there is none, delete it: the next start creates a ` +
      "new one, and users who pinned the service's keys will be told that they changed.",
  );
}
