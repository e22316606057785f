/** What is kept in memory of an account ends with the account. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startApp, type App } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config.js";
import { createKey } from "../../../src/core/keys/issue-keys.js";
import { systemClock } from "../../../src/core/clock.js";
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

describe("items of replies", () => {
  const user = { role: "user", content: "x" };

  async function start(env: Record<string, string> = {}) {
    const engine = new FakeEngine();
    const dataDir = mkdtempSync(join(folder, "items-"));
    const config = loadConfig({ env: { SOTTO_DATA_DIR: dataDir, SOTTO_PORT: "0", ...env } });
    const app = await startApp(config, { engine, log: createLog("silent") });
    const account = await app.store.createAccount({
      email: "ada@example.com",
      passwordHash: null,
      role: "user",
      planId: "free",
    });
    const request = { name: "k", models: null, operations: null, expiresAt: null };
    const { text: key } = await createKey(app.store, systemClock, account, request);
    return { app, engine, account, key };
  }

  const ask = async ({ url }: App, key: string, input: unknown) => {
    const response = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "omega", input }),
    });
    const json = (await response.json()) as { output?: { id: string }[]; error?: { param: string } };
    return { status: response.status, id: json.output?.[0]?.id, param: json.error?.param };
  };
  const referTo = (id: string | undefined) => [user, { type: "item_reference", id }, user];

  it("can be referred to until their account is suspended", async () => {
    const { app, engine, account, key } = await start();
    try {
      const { id } = await ask(app, key, "x");
      expect(await ask(app, key, referTo(id))).toMatchObject({ status: 200 });
      await app.store.setAccountSuspended(account.id, new Date());
      await eventually(() => engine.forgotten.includes(account.id));
      await app.store.setAccountSuspended(account.id, null);
      await eventually(async () => (await ask(app, key, "x")).status === 200);
      expect(await ask(app, key, referTo(id))).toMatchObject({ status: 400, param: "input[1].id" });
    } finally {
      await app.close();
    }
  });

  it("cannot be referred to where the operator switched that off", async () => {
    const { app, key } = await start({ SOTTO_ITEM_MEMORY: "off" });
    try {
      const { id } = await ask(app, key, "x");
      expect(await ask(app, key, referTo(id))).toMatchObject({ status: 400, param: "input[1].id" });
    } finally {
      await app.close();
    }
  });
});
