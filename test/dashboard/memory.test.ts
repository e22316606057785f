/** What a server keeps in memory of an account's conversations, as its owner sees it, and how to have it dropped. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nothingKept } from "../../src/core/serving/engine-port.js";
import type { KeptOfAccount } from "../../src/core/serving/kept-memory.js";
import type { KeyWithSecret, Me } from "../../src/protocol/dashboard/api.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

const minuteMs = 60_000;

describe("the memory of an account", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  let ada: Browser;
  beforeEach(async () => {
    clock = new FakeClock();
    dashboard = await startDashboard({ clock });
    ada = await dashboard.signUp("ada@example.com");
  });
  afterEach(() => dashboard.close());

  const memory = (browser: Browser) => browser.get<KeptOfAccount>("/api/me/memory");

  it("counts what is kept, says until when, and is dropped on request", async () => {
    const bob = await dashboard.signUp("bob@example.com");
    const { account } = await ada.get<Me>("/api/me");
    dashboard.engine.kept.set(account.id, {
      conversations: { count: 2, lastMs: 7 * minuteMs },
      routes: nothingKept,
      isElsewhere: true,
    });
    await respond(ada);
    await respond(bob);
    clock.advance(minuteMs);
    expect(await memory(ada)).toEqual({
      conversations: { count: 2, lastMs: 7 * minuteMs },
      schemas: nothingKept,
      items: { count: 1, lastMs: 9 * minuteMs },
      routes: nothingKept,
      isElsewhere: true,
      hasOtherServers: false,
    });
    expect(await ada.post<KeptOfAccount>("/api/me/memory/forget")).toMatchObject({
      conversations: nothingKept,
      items: nothingKept,
    });
    expect(await memory(ada)).toMatchObject({ conversations: nothingKept, items: nothingKept });
    expect((await memory(bob)).items.count).toBe(1);
  });

  it("is only its owner's", async () => {
    expect((await dashboard.browser().send("GET", "/api/me/memory")).status).toBe(401);
    expect((await dashboard.browser().send("POST", "/api/me/memory/forget")).status).toBe(401);
  });

  /** One reply of the API whose items are kept. */
  async function respond(browser: Browser): Promise<void> {
    const body = { name: "test", models: null, expiresInDays: null };
    const { secret } = await browser.post<KeyWithSecret>("/api/keys", body);
    const response = await fetch(`${dashboard.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "omega", input: "Hi" }),
    });
    expect(response.status).toBe(200);
    await response.text();
  }
});
