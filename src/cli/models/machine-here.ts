/** This machine, for what a file of weights gets on it. A running server has taken some of its memory already. */
import { stat } from "node:fs/promises";
import type { Config } from "../../config.js";
import type { Store } from "../../core/store.js";
import { availableMemory } from "../../engines/llama/cgroup.js";
import type { Machine } from "../../models/choice/fit-here.js";
import { readMachineSpeed } from "../../models/machine-speed.js";

type Settings = Pick<Store, "getSetting">;

export async function machineHere({ engine }: Config, settings: Settings): Promise<Machine> {
  return {
    memory: { totalBytes: availableMemory(), onDemand: engine.idleUnloadMinutes > 0 },
    configured: engine,
    bytesPerSecond: (await readMachineSpeed(settings))?.bytesPerSecond ?? null,
  };
}

/** Works on the settings without creating a database where there is none. */
export async function withSettings<T>(config: Config, work: (settings: Settings) => Promise<T>): Promise<T> {
  // Loaded when it is needed: `--help` waits for no database library.
  const { databasePath } = await import("../../store/sql/sqlite.js");
  const path = databasePath(config.service.dataDir);
  const exists = config.storage.databaseUrl !== undefined || (await stat(path).catch(() => null)) !== null;
  if (!exists) return work({ getSetting: async () => null });
  const { openStore } = await import("../../store/open-store.js");
  const store = await openStore(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
