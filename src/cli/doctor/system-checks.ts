/** What `sotto doctor` reports about Node, processes, open files, the data directory, the database, Redis and the statement log. */
import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { freeBytes } from "../../models/files/disk-space.js";
import { formatBytes } from "../../models/sizes.js";
import { starterSize } from "../../models/starter/starter-size.js";
import {
  coreDumps,
  howToStopCoreDumps,
  howToStopSwap,
  keepMemoryOutOfCoreDumps,
  swap,
} from "../../adapters/memory-on-disk.js";
import { processCount } from "../../app/process-count.js";
import { fewestOpenFiles, howToRaise, openFileLimit } from "../../adapters/open-files.js";
import { explainFailure } from "../../store/counters/redis-failure.js";
import { findDataDirError } from "../../store/data-dir-error.js";
import { openStore } from "../../store/open-store.js";
import { cannotOpenSqlite, databasePath, openDatabase } from "../../store/sql/sqlite.js";
import { broken, type Check, type Finding, hint, ok } from "./finding.js";
import { readServiceKey } from "../../adapters/service-key.js";
import { systemClock } from "../../core/clock.js";
import { SealedElsewhere, SealedSettings } from "../../core/proof/sealed-settings.js";
import { signingKeySetting } from "../../core/proof/signer.js";
import { StatementLog } from "../../core/proof/statement-log.js";
import { logHeadFile } from "../../store/log-head-file.js";

const oldestNode = [20, 19] as const;
/** The starter weights and room for the database to grow. */
const comfortableBytes = 2e9;
/** Enough for a thousand connections, each with one to an engine on the network. */
const comfortableOpenFiles = 4_096;

export const checkNode: Check = async () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  const detail = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  if (!isOld) return [ok("node", detail)];
  return [broken("node", detail, `Install Node ${oldestNode.join(".")} or newer.`)];
};

export const checkProcesses: Check = async (config) => {
  const count = processCount(config);
  const detail =
    count === 1
      ? "one serves all requests"
      : `${count} serve requests on one port, on ${availableParallelism()} cores`;
  return [ok("processes", detail)];
};

export const checkOpenFiles: Check = async () => {
  const limit = openFileLimit();
  const name = "open files";
  if (!Number.isFinite(limit)) return [ok(name, "no limit")];
  const detail = `this process may open ${limit}`;
  if (limit < fewestOpenFiles) return [broken(name, detail, howToRaise)];
  if (limit < comfortableOpenFiles) return [hint(name, detail, howToRaise)];
  return [ok(name, detail)];
};

/** As for a server that is started from here. */
export const checkCoreDumps: Check = async () => {
  const name = "core dumps";
  keepMemoryOutOfCoreDumps();
  const { state, pattern } = coreDumps();
  if (state === "off") return [ok(name, "off")];
  if (state === "empty") return [ok(name, "without any memory of the server")];
  const detail =
    state === "on"
      ? `a crash would write conversations to disk (core_pattern: ${pattern})`
      : "this system does not say whether a crash writes memory to disk";
  return [hint(name, detail, howToStopCoreDumps)];
};

export const checkSwap: Check = async () => {
  const name = "swap";
  const { state, usedBytes } = swap();
  if (state === "off") return [ok(name, "off")];
  const detail =
    state === "on"
      ? `on (${formatBytes(usedBytes)} in use): memory with conversations may be written to disk`
      : "this system does not say whether memory is swapped to disk";
  return [hint(name, detail, howToStopSwap)];
};

export const checkDataDirectory: Check = async ({ service }) => {
  const folder = resolve(service.dataDir);
  const name = "data directory";
  const found = findDataDirError(folder);
  if (found !== null) return [broken(name, found.reason, found.next)];
  const free = await freeBytes(folder);
  const isThere = (await stat(folder).catch(() => null)) !== null;
  const detail = `${folder}${isThere ? "" : " (created at the first start)"}, ${formatBytes(free)} free`;
  if (free >= comfortableBytes) return [ok(name, detail)];
  const next = `Make room: the starter weights alone take ${starterSize}, and half as much again while they are prepared.`;
  return [hint(name, detail, next)];
};

export const checkDatabase: Check = async (config) => {
  const { service, storage } = config;
  const name = "database";
  if (storage.databaseUrl !== undefined) {
    await (await openStore(config)).close();
    return [ok(name, "Postgres responds, and its tables are up to date")];
  }
  const path = databasePath(resolve(service.dataDir));
  if ((await stat(path).catch(() => null)) === null) {
    return [ok(name, "not created yet: the first start creates it")];
  }
  const database = await openDatabase(path);
  try {
    // Begins to write, which a file or a file system that is read-only refuses.
    database.exec("begin immediate");
    database.exec("rollback");
    const errors = database.prepare("pragma integrity_check").pluck().all().map(String);
    if (errors.join() === "ok") return [ok(name, `${path} opens and is sound`)];
    const next = "Stop the server, keep a copy of the file, and restore a backup.";
    return [broken(name, `${path} is damaged: ${errors.slice(0, 3).join("; ")}`, next)];
  } catch (error) {
    throw cannotOpenSqlite(path, error);
  } finally {
    database.close();
  }
};

export const checkRedis: Check = async ({ storage: { redisUrl } }) => {
  const name = "redis";
  if (redisUrl === undefined) {
    return [ok(name, "not set: this server counts limits by itself")];
  }
  // Loaded here, since most installations do without.
  const { probeRedis } = await import("../../store/counters/redis-probe.js");
  const failure = await probeRedis(redisUrl);
  if (failure === null) return [ok(name, `${new URL(redisUrl).host} answers and counts`)];
  const { reason, next } = explainFailure(redisUrl, failure);
  return [broken(name, reason, next)];
};

export const checkProof: Check = async (config) => {
  const name = "statement log";
  const { service, storage } = config;
  const isThere = await stat(databasePath(resolve(service.dataDir))).catch(() => null);
  // Nothing is created here.
  if (storage.databaseUrl === undefined && isThere === null) return [];
  const store = await openStore(config);
  try {
    const log = new StatementLog(store.statementLog, logHeadFile(service.dataDir), systemClock);
    await log.refresh();
    if (log.key === null) return [ok(name, "empty: the first start begins it")];
    if (service.proofKeys === "stored") {
      const sealed = new SealedSettings(store, readServiceKey(service.secretKey, service.dataDir));
      await sealed.get(signingKeySetting);
    }
    return [logFinding(name, log)];
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    return [broken(name, error.message)];
  } finally {
    await store.close();
  }
};

function logFinding(name: string, log: StatementLog): Finding {
  const detail = `${log.head.size} entries, signed by ${log.key ?? ""}`;
  const loss = log.findLoss();
  if (loss !== null) {
    const lost =
      loss.lost === null ? "its entries are not those that were known" : `${loss.lost} entries are missing`;
    const next =
      "Restore a newer backup if there is one. Otherwise the next start notes the loss in the log.";
    return broken(name, `${detail}; ${lost}: the database was restored`, next);
  }
  if (log.lastRestored === null) return ok(name, detail);
  const when = log.lastRestored.toISOString().slice(0, 10);
  const next = "Tell users who see 'sotto verify' fail since then; they pin the service again with --forget.";
  return hint(name, `${detail}; entries were lost by a restore, noted on ${when}`, next);
}
