import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mintKey } from "../../src/core/keys/key-format.js";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import type { ConnectionTestView } from "../../src/protocol/dashboard/keys.js";
import { eventually } from "../support/eventually.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

const userAgent = "claude-cli/2.1.197 (external, cli)";
const secretText = "heron-in-the-reeds";

let dashboard: TestDashboard;
let ada: Browser;
let key: string;

beforeEach(async () => {
  dashboard = await startDashboard();
  ada = await dashboard.signUp("ada@example.com");
  key = await newKey(ada);
});
afterEach(() => dashboard.close());

async function newKey(browser: Browser): Promise<string> {
  const body = { name: "Editor", models: null, expiresInDays: null };
  return (await browser.must<KeyWithSecret>("POST", "/api/keys", body)).secret;
}
const begin = (browser: Browser) => browser.must<ConnectionTestView>("POST", "/api/connection-test", {});
const read = (browser: Browser) => browser.get<ConnectionTestView>("/api/connection-test");
/** As Claude Code would. */
async function ask(bearer: string | null, over: { path?: string; model?: string } = {}): Promise<number> {
  const { path = "/v1/messages", model = "omega" } = over;
  const messages = [{ role: "user", content: secretText }];
  const response = await fetch(dashboard.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({ model, max_tokens: 5, messages }),
  });
  await response.text();
  return response.status;
}
const arrived = async (browser: Browser, count: number) => {
  await eventually(async () => (await read(browser)).requests.length === count);
  return (await read(browser)).requests;
};

describe("a connection test", () => {
  it("shows how the client's request ended, and nothing of it", async () => {
    expect(await ask(key)).toBe(200);
    expect(await begin(ada)).toMatchObject({ requests: [] });
    expect(await ask(key)).toBe(200);
    const [request] = await arrived(ada, 1);
    expect(request).toMatchObject({
      client: "claude-code",
      isCompletion: true,
      status: 200,
      code: "none",
      lastFour: key.slice(-4),
      keyProblem: null,
    });
    expect(request?.durationMs).toBeGreaterThan(0);
    const shown = JSON.stringify(await read(ada));
    expect(shown).not.toContain(secretText);
    expect(shown).not.toContain("2.1.197");
  });

  it("tells what was wrong: the model, the path, the length, the key", async () => {
    await begin(ada);
    await ask(key, { model: "gpt-nothing" });
    await ask(key, { path: "/v1/mesages" });
    dashboard.engine.options.contextTokens = 1;
    await ask(key);
    await ask(null);
    await ask("YOUR_SOTTO_API_KEY");
    await ask(mintKey());
    await ask(key, { path: "/messages" });
    const requests = await arrived(ada, 7);
    expect(requests.map(({ status, code, keyProblem }) => [status, code, keyProblem])).toEqual([
      [404, "model_not_found", null],
      [404, "unknown_url", null],
      [400, "context_length_exceeded", null],
      [401, "invalid_api_key", "missing"],
      [401, "invalid_api_key", "malformed"],
      [401, "invalid_api_key", "unknown"],
      [404, "unknown_url", null],
    ]);
  });

  it("belongs to one account: others' requests are not in it, and it is not theirs", async () => {
    const bob = await dashboard.signUp("bob@example.com");
    const other = await newKey(bob);
    await begin(ada);
    await ask(other);
    await ask(key);
    expect((await arrived(ada, 1))[0]?.lastFour).toBe(key.slice(-4));
    expect(await read(bob)).toEqual({ leftMs: null, requests: [] });
  });

  it("writes nothing to the database or the log that was not there before", async () => {
    await begin(ada);
    await ask(key);
    await arrived(ada, 1);
    const rows = [...dashboard.tables().values()].join("\n");
    expect(rows).not.toContain("claude");
    expect(dashboard.log()).not.toContain("claude");
  });
});
