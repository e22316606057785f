/**
 * Searches the memory of a process for marks, through Linux's `/proc/<pid>/mem`. It looks at what the process can
 * write: heaps, stacks, anonymous memory. Mappings of files that it only reads, such as the program and the weights,
 * hold what is in those files. The process keeps running meanwhile, so this is no snapshot.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Hit, MarkSearch } from "../../core/proof/marks.js";

export interface MemorySearch {
  hits: Hit[];
  bytes: number;
  /** Bytes that could not be read, or are past the limit. */
  skippedBytes: number;
}

const pieceBytes = 4 * 1024 * 1024;
const mostBytes = 64 * 2 ** 30;
/** Past so many, their number says nothing more. */
const mostHits = 10_000_000;

/** Rejects with the system's error where this user may not read it, and on systems without `/proc`. */
export async function searchMemory(
  pid: number,
  search: MarkSearch,
  signal: AbortSignal,
): Promise<MemorySearch> {
  const found: MemorySearch = { hits: [], bytes: 0, skippedBytes: 0 };
  const note = (hits: readonly Hit[]) => {
    for (const hit of hits) if (found.hits.length < mostHits) found.hits.push(hit);
  };
  const regions = writableRegions(readFileSync(`/proc/${pid}/maps`, "latin1"));
  const memory = openSync(`/proc/${pid}/mem`, "r");
  // Not from the pool, and cleared: what was read here must not stay in this process.
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  try {
    for (const { start, end } of regions) {
      for (let at = start; at < end; at += pieceBytes) {
        signal.throwIfAborted();
        const length = Math.min(pieceBytes, end - at);
        const read = found.bytes > mostBytes ? 0 : readAt(memory, piece, length, at);
        found.bytes += read;
        found.skippedBytes += length - read;
        note(search.next(piece.subarray(0, read)));
        if (read < length) note(search.end());
      }
      note(search.end());
      await nextTurn();
    }
  } finally {
    piece.fill(0);
    closeSync(memory);
  }
  return found;
}

/** 0 for memory that was unmapped meanwhile or cannot be read. */
function readAt(file: number, into: Buffer, length: number, position: number): number {
  try {
    return readSync(file, into, 0, length, position);
  } catch {
    return 0;
  }
}

export function writableRegions(maps: string): { start: number; end: number }[] {
  return [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw\S* \S+ \S+ \d+ *(.*)$/gm)]
    .filter(([, , , name = ""]) => !name.startsWith("[vvar") && !name.startsWith("/dev/"))
    .map(([, start = "", end = ""]) => ({ start: parseInt(start, 16), end: parseInt(end, 16) }));
}

/** The processes that `parent` has started. Empty on systems without `/proc`. */
export function childProcesses(parent: number): number[] {
  return processIds().filter((pid) => parentOf(pid) === parent);
}

export const isRunning = (pid: number): boolean => parentOf(pid) !== null;

function processIds(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Null for a process that has ended. */
function parentOf(pid: number): number | null {
  try {
    // The name in parentheses may contain anything.
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    return parent === undefined ? null : Number(parent);
  } catch {
    return null;
  }
}
