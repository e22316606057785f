/** Where `sotto privacy check` looks for the marks, and what it says about each place. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { coreDumps, howToStopCoreDumps, howToStopSwap, swap } from "../../adapters/memory-on-disk.js";
import { childProcesses, isRunning, searchMemory } from "../../adapters/search/process-memory.js";
import { processCount } from "../../app/process-count.js";
import { searchFiles, type FileSearchOptions } from "../../adapters/search/search-files.js";
import type { Config } from "../../config.js";
import { type Hit, MarkSearch } from "../../core/proof/marks.js";
import type { PlaceKind, Verdict } from "../../core/proof/privacy-check.js";
import { formatBytes } from "../../models/sizes.js";
import type { SentRequest } from "./marked-requests.js";

export interface Place {
  kind: PlaceKind;
  /** For people, with paths and numbers of processes. */
  name: string;
  verdict: Verdict;
  /** What was found, how much was searched, or why it could not be. */
  detail: string;
  gaps: string[];
}

export interface Looking {
  config: Config;
  sent: readonly SentRequest[];
  /** When the first request was sent: what was not written to since holds none of them. */
  startedMs: number;
  also: readonly string[];
  signal: AbortSignal;
}

interface Look {
  name: string;
  kind: PlaceKind;
  look: (search: MarkSearch) => Promise<Outcome>;
}

/** In search order: memory first, since it changes by itself. */
export function placesToLook(looking: Looking): Look[] {
  const { config, also } = looking;
  const { dataDir } = config.service;
  const server = serverProcess(dataDir);
  return [
    ...memoryOf(looking, server),
    {
      kind: "database",
      name: config.storage.databaseUrl === undefined ? "database (SQLite)" : "database (Postgres)",
      look: (search) => lookAtRows(looking, search),
    },
    ...redisOf(looking),
    {
      kind: "data_directory",
      name: `data directory ${resolve(dataDir)}`,
      look: (search) => lookAtFiles(resolve(dataDir), looking, search, isUnchangedAndLarge(looking)),
    },
    ...temporaryFolders(server).map((folder): Look => ({
      kind: "temporary_files",
      name: `temporary files ${folder}`,
      look: (search) => lookAtFiles(folder, looking, search, isUnchanged(looking)),
    })),
    ...also.map((path): Look => ({
      kind: "other_paths",
      name: path,
      look: (search) => lookAtFiles(resolve(path), looking, search, isUnchanged(looking)),
    })),
    { kind: "core_dumps", name: "core dumps", look: async () => lookAtCoreDumps(server) },
    { kind: "swap", name: "swap", look: async () => lookAtSwap() },
  ];
}

/** A search that throws makes its place unknown. */
export async function lookAt({ kind, name, look }: Look, { sent, signal }: Looking): Promise<Place> {
  try {
    return { kind, name, ...(await look(new MarkSearch(sent.map(({ mark }) => mark)))) };
  } catch (error) {
    signal.throwIfAborted();
    return { kind, name, ...unknown(`could not be searched: ${reasonOf(error)}`) };
  }
}

/** Which marks were found, by the request that carried them; never the marks themselves. */
function describe(hits: readonly Hit[], sent: readonly SentRequest[], where: readonly string[]): string {
  const names = new Map(sent.map(({ mark, name }) => [mark, name]));
  const counts = new Map<string, number>();
  for (const { mark } of hits) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const forms = [...new Set(hits.map(({ form }) => form))].join(", ");
  const ways = [...counts].map(([mark, count]) => `${names.get(mark) ?? "a request"} (${count})`).join(", ");
  const places = where.length === 0 ? "" : ` in ${shortList([...new Set(where)])}`;
  return `found${places}: ${ways}; form: ${forms}`;
}

function shortList(all: readonly string[]): string {
  const shown = all.slice(0, 5).join(", ");
  return all.length > 5 ? `${shown} and ${all.length - 5} more` : shown;
}

type Outcome = Pick<Place, "verdict" | "detail" | "gaps">;

/** `looked`: how much was, for a place without any mark. */
function outcomeOf(
  hits: readonly Hit[],
  gaps: string[],
  looked: string,
  sent: readonly SentRequest[],
  where: readonly string[] = [],
): Outcome {
  if (hits.length > 0) return { verdict: "found", detail: describe(hits, sent, where), gaps };
  return { verdict: gaps.length > 0 ? "unknown" : "clean", detail: looked, gaps };
}

/** The server of this data directory; null where it runs on another machine or in another container. */
function serverProcess(dataDir: string): number | null {
  try {
    const pid = Number(/^\d+/.exec(readFileSync(join(dataDir, "server.pid"), "utf8"))?.[0]);
    return isRunning(pid) ? pid : null;
  } catch {
    return null;
  }
}

function memoryOf(looking: Looking, server: number | null): Look[] {
  if (server === null) {
    const why =
      "could not be searched: the server's process is not on this machine, or not visible from here";
    return [{ kind: "server_memory", name: "memory of the server", look: async () => unknown(why) }];
  }
  const look = (pid: number) => async (search: MarkSearch) => {
    const { hits, bytes, skippedBytes } = await searchMemory(pid, search, looking.signal);
    const gaps = skippedBytes === 0 ? [] : [`${formatBytes(skippedBytes)} could not be read`];
    // The kernel's own pages within a process cannot be read; they hold nothing of it.
    return { ...outcomeOf(hits, [], `${formatBytes(bytes)} searched`, looking.sent), gaps };
  };
  const several = processCount(looking.config) > 1 ? childProcesses(server) : [];
  const engines = [server, ...several].flatMap(childProcesses).filter((pid) => !several.includes(pid));
  return [
    ...[server, ...several].map((pid): Look => ({
      kind: "server_memory",
      name: `memory of the server (process ${pid})`,
      look: look(pid),
    })),
    ...engines.map((pid): Look => ({
      kind: "engine_memory",
      name: `memory of an engine (process ${pid})`,
      look: look(pid),
    })),
  ];
}

async function lookAtRows({ config, sent, signal }: Looking, search: MarkSearch) {
  const { searchRows } = await import("../../store/search-rows.js");
  const { hits, tables, rows, gaps } = await searchRows(config, search, signal);
  const looked = `${rows} rows of ${tables} tables searched`;
  const where = hits.map(({ table }) => `table ${table}`);
  const found = hits.map(({ hit }) => hit);
  return outcomeOf(found, gaps, looked, sent, where);
}

function redisOf({ config, sent, signal }: Looking): Look[] {
  const url = config.storage.redisUrl;
  if (url === undefined) return [];
  const look = async (search: MarkSearch) => {
    // Loaded here, since most installations do without.
    const { searchRedis } = await import("../../store/counters/search-redis.js");
    const { hits, keys, gaps } = await searchRedis(url, search, signal);
    return outcomeOf(hits, gaps, `${keys} keys searched`, sent);
  };
  return [{ kind: "redis", name: "Redis", look }];
}

type Skip = NonNullable<FileSearchOptions["skip"]>;

/** The clock of a file system is coarser than ours. */
const clockStepMs = 1_000;
const isUnchanged =
  ({ startedMs }: Looking): Skip =>
  (_, { mtimeMs, ctimeMs }) =>
    Math.max(mtimeMs, ctimeMs) < startedMs - clockStepMs;

/** Weights, above all. The times of a file that is mapped into memory lag behind. */
const isUnchangedAndLarge = (looking: Looking): Skip => {
  const unchanged = isUnchanged(looking);
  return (path, file) => file.size > 64 * 1024 * 1024 && unchanged(path, file);
};

async function lookAtFiles(path: string, { sent, signal }: Looking, search: MarkSearch, skip: Skip) {
  const { hits, files, bytes, gaps } = await searchFiles(path, { search, signal, skip });
  const looked = `${files} ${files === 1 ? "file" : "files"} searched (${formatBytes(bytes)})`;
  const where = hits.map(({ path: file }) => file);
  const found = hits.map(({ hit }) => hit);
  return outcomeOf(found, gaps, looked, sent, where);
}

/** Of this process and of the server, which may have been started with another one. */
function temporaryFolders(server: number | null): string[] {
  const own = tmpdir();
  try {
    const environment = readFileSync(`/proc/${server ?? "self"}/environ`, "utf8").split("\0");
    const theirs = environment.find((line) => line.startsWith("TMPDIR="))?.slice("TMPDIR=".length);
    return [...new Set([own, theirs ?? "/tmp"])];
  } catch {
    return [own];
  }
}

const clean = (detail: string): Outcome => ({ verdict: "clean", detail, gaps: [] });
const unknown = (detail: string): Outcome => ({ verdict: "unknown", detail, gaps: [] });
const notReported = unknown("cannot be checked: this system does not report it");

function lookAtCoreDumps(server: number | null): Outcome {
  const { state, pattern } = coreDumps(server ?? "self");
  if (state === "off") return clean("off for the server");
  if (state === "empty") return clean("those of the server contain no memory");
  if (state === "unknown") return notReported;
  return unknown(`on: a crash would write memory to disk (core_pattern ${pattern}). ${howToStopCoreDumps}`);
}

function lookAtSwap(): Outcome {
  const { state, usedBytes } = swap();
  if (state === "off") return clean("off");
  if (state === "unknown") return notReported;
  return unknown(
    `on (${formatBytes(usedBytes)} in use): memory may be written to it, and it is not searched. ${howToStopSwap}`,
  );
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  if (code === "EACCES" || code === "EPERM")
    return `not permitted (${code}); run it as root, or as the server's user`;
  return code ?? error.message;
};
