/** What engines keep of an account ends with the account. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startApp } from "../../../src/app.js";
import { loadConfig } from "../../../src/config.js";
import { createLog } from "../../../src/log.js";
import { eventually } from "../../support/eventually.js";
import { FakeEngine } from "../../support/engines/fake-engine.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-deleted-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("has the engines forget an account that is deleted, and no other", async () => {
  const engine = new FakeEngine();
  const config = loadConfig({ env: { SOTTO_DATA_DIR: folder, SOTTO_PORT: "0" } });
  const app = await startApp(config, { engine, log: createLog("silent") });
  try {
    const account = { passwordHash: null, role: "user", planId: "free" } as const;
    const gone = await app.store.createAccount({ ...account, email: "gone@example.com" });
    const stays = await app.store.createAccount({ ...account, email: "stays@example.com" });
    await app.store.setAccountPlan(stays.id, "free");
    await app.store.deleteAccount(gone.id);
    await eventually(() => engine.forgotten.length > 0);
    expect(new Set(engine.forgotten)).toEqual(new Set([gone.id]));
  } finally {
    await app.close();
  }
});
