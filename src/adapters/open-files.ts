/**
 * How many files this process may have open at once. Connections count as files, so this is what bounds them;
 * past it every `open`, `connect` and `accept` of the process fails. Node raises its own soft limit to the hard
 * one when it starts, so the limit that is read here is the effective one.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Node opens some 270 at once while it loads the program; when it runs, about 30 are open without any connection. */
export const fewestOpenFiles = 512;

export const howToRaise =
  "Raise it with 'ulimit -n 65536' in the shell that starts Sotto, 'LimitNOFILE=65536' in its systemd unit, or '--ulimit nofile=65536' for its container.";

export class TooFewOpenFiles extends Error {
  constructor(limit: number) {
    super(`this process may open ${limit} files, and Sotto needs at least ${fewestOpenFiles}. ${howToRaise}`);
    this.name = "TooFewOpenFiles";
  }
}

export function requireOpenFiles(): void {
  const limit = openFileLimit();
  if (limit < fewestOpenFiles) throw new TooFewOpenFiles(limit);
}

/** Infinity where there is no limit, or none that can be read. */
export function openFileLimit(): number {
  try {
    const text = process.platform === "linux" ? linuxLimit() : shellLimit();
    return /^\d+$/.test(text) ? Number(text) : Infinity;
  } catch {
    return Infinity;
  }
}

const linuxLimit = (): string =>
  /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? "";

/** A child has its parent's limits. There is no such shell on Windows, and no such limit. */
const shellLimit = (): string =>
  execFileSync("/bin/sh", ["-c", "ulimit -n"], { encoding: "utf8", timeout: 2_000 }).trim();
