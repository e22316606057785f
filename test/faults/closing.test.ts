import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startApp } from "../../src/app/app.js";
import { loadConfig } from "../../src/config.js";
import { createLog } from "../../src/log.js";
import { lockDataDir } from "../../src/store/data-dir-lock.js";
import { FakeEngine } from "../support/engines/fake-engine.js";

class UnclosableEngine extends FakeEngine {
  override async close(): Promise<void> {
    await super.close();
    throw new Error("the engine is stuck");
  }
}

it("closing continues if a part fails to close, and reports which", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "sotto-closing-"));
  const config = loadConfig({ env: { SOTTO_DATA_DIR: dataDir, SOTTO_PORT: "0" } });
  const log = createLog("silent");
  const app = await startApp(config, { engine: new UnclosableEngine(), log });
  await expect(app.close()).rejects.toThrow("Not everything could be closed: the engine is stuck");
  // What was opened before the engine is closed too: the store, and the lock at last.
  await expect(app.store.ping()).rejects.toThrow();
  lockDataDir(dataDir).release();
  await rm(dataDir, { recursive: true });
});
