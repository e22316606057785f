/** A file system of a few megabytes, which a test can fill to the last block. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Null where this user may not mount one. */
export function mountSmallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "sotto-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    console.error("!!! SKIPPED: tests of a full or read-only disk mount a tmpfs, which this user may not.");
    return null;
  }
}

/** Writes until there is no block left. */
export function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const size of [65_536, 4_096, 512, 1]) writeUntilFull(file, size);
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, size: number): void {
  const block = Buffer.alloc(size);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
