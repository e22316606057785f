/** What `sotto doctor` reports about the statement log. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readServiceKey } from "../../adapters/service-key.js";
import { systemClock } from "../../core/clock.js";
import { SealedElsewhere, SealedSettings } from "../../core/proof/sealed-settings.js";
import { signingKeySetting } from "../../core/proof/signer.js";
import { StatementLog } from "../../core/proof/statement-log.js";
import { logHeadFile } from "../../store/log-head-file.js";
import { openStore } from "../../store/open-store.js";
import { databasePath } from "../../store/sql/sqlite.js";
import { broken, hint, ok, type Check, type Finding } from "./finding.js";

const name = "statement log";

export const checkProof: Check = async (config) => {
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
    return [describe(log)];
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    return [broken(name, error.message)];
  } finally {
    await store.close();
  }
};

function describe(log: StatementLog): Finding {
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
