/** What all accounts used, for the operator: by time, model, account, key and cause. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import type { ServiceUsageReport, TopUsers } from "../../../src/core/usage/usage-views.js";
import { ServiceError } from "../../../src/core/errors.js";
import { postChat } from "../../support/clients/post-chat.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

describe("service-wide usage", () => {
  let dashboard: TestDashboard;
  let operator: Browser;
  let ada: { browser: Browser; id: string; key: KeyWithSecret };
  let bob: { browser: Browser; id: string; key: KeyWithSecret };
  beforeEach(async () => {
    dashboard = await startDashboard({ clock: new FakeClock(new Date("2030-01-01T09:30:00Z")) });
    operator = await dashboard.setUp();
    ada = await someone("ada@example.com", "laptop");
    bob = await someone("bob@example.com", "=server");
  });
  afterEach(() => dashboard.close());

  async function someone(email: string, name: string) {
    const browser = await dashboard.signUp(email);
    const { account } = await browser.get<Me>("/api/me");
    const key = await browser.post<KeyWithSecret>("/api/keys", { name, models: null, expiresInDays: null });
    return { browser, id: account.id, key };
  }

  const chat = async (secret: string, body: object = {}) => {
    const response = await postChat(dashboard.url, secret, {
      messages: [{ role: "user", content: "one two three" }],
      ...body,
    });
    await response.text();
    return response.status;
  };
  const day = { from: "2030-01-01T00:00:00Z", to: "2030-01-02T00:00:00Z", step: "hour" };
  const read = (path: string, query: Record<string, string> = {}) =>
    operator.send("GET", `/api/admin/${path}?${new URLSearchParams({ ...day, ...query }).toString()}`);
  const report = async (query: Record<string, string> = {}) =>
    (await read("usage", query)).json as ServiceUsageReport;
  const settled = (requests: number) => eventually(async () => (await report()).totals.requests === requests);

  it("adds up all accounts, by hour and model, with zeros where nothing was", async () => {
    await chat(ada.key.secret);
    await chat(bob.key.secret, { model: "prism" });
    await chat(bob.key.secret);
    await settled(3);
    const { buckets, totals, byModel, account } = await report();
    expect(account).toBeNull();
    expect(buckets).toHaveLength(24);
    expect(buckets[9]).toMatchObject({ requests: 3, promptTokens: 9, completionTokens: 12 });
    expect(buckets[10]).toMatchObject({ requests: 0, firstTokenMsP50: null });
    expect(totals.firstTokenMsP50).toEqual(expect.any(Number));
    expect(byModel).toEqual([
      { model: "omega", requests: 2, refused: 0, tokens: 14 },
      { model: "prism", requests: 1, refused: 0, tokens: 7 },
    ]);
    expect((await report({ model: "prism" })).totals.requests).toBe(1);
  });

  it("shows the causes of errors and refusals, including callers without an account", async () => {
    dashboard.engine.script = () => ({
      fragments: ["a"],
      failure: { at: 0, error: new ServiceError("engine_unavailable") },
    });
    await chat(ada.key.secret);
    await chat(bob.key.secret);
    await chat("sk-sotto-nobody");
    await chat(ada.key.secret, { temperature: 9 });
    await eventually(async () => (await report()).causes?.length === 3);
    expect((await report()).causes).toEqual([
      { code: "engine_unavailable", status: 503, requests: 2 },
      { code: "decimal_above_max_value", status: 400, requests: 1 },
      { code: "invalid_api_key", status: 401, requests: 1 },
    ]);
    expect((await report({ model: "omega" })).causes).toMatchObject([{ code: "engine_unavailable" }]);
    expect((await report({ account: ada.id })).causes).toBeNull();
  });

  it("names the accounts and keys that use it most", async () => {
    await chat(ada.key.secret);
    await chat(bob.key.secret);
    await chat(bob.key.secret, { model: "lambda" });
    await settled(3);
    const top = async (query: Record<string, string>) =>
      (await read("usage/top", { measure: "requests", ...query })).json as TopUsers;
    const all = await top({});
    expect(all.accounts.map(({ email, requests }) => [email, requests])).toEqual([
      ["bob@example.com", 2],
      ["ada@example.com", 1],
    ]);
    expect(all.keys.map(({ key, email }) => [key?.name, email])).toEqual([
      ["=server", "bob@example.com"],
      ["laptop", "ada@example.com"],
    ]);
    const ofAda = await top({ account: "ada@example.com", measure: "tokens" });
    expect(ofAda).toMatchObject({
      accounts: [],
      keys: [{ key: { name: "laptop", lastFour: ada.key.key.lastFour }, tokens: 7 }],
    });
    expect((await read("usage/top", { measure: "beauty" })).json).toMatchObject({
      error: { field: "measure" },
    });
  });

  it("shows one account or one of its keys, by id or address, and says when there is none", async () => {
    await chat(ada.key.secret);
    await chat(bob.key.secret);
    await settled(2);
    expect(await report({ account: "BOB@example.com" })).toMatchObject({
      account: { id: bob.id, email: "bob@example.com" },
      totals: { requests: 1 },
    });
    expect(await report({ key: ada.key.key.id })).toMatchObject({
      account: { email: "ada@example.com" },
      key: { name: "laptop", lastFour: ada.key.key.lastFour },
      totals: { requests: 1 },
    });
    expect(await report({ account: ada.id, key: "playground" })).toMatchObject({
      key: { name: "Playground" },
      totals: { requests: 0 },
    });
    for (const [query, field] of [
      [{ account: "nobody@example.com" }, "account"],
      [{ account: "acc_none" }, "account"],
      [{ key: "key_none" }, "key"],
      [{ key: "playground" }, "account"],
      [{ account: ada.id, key: bob.key.key.id }, "key"],
      [{ to: "2029-01-01T00:00:00Z" }, "to"],
    ] as const) {
      expect(await read("usage", query)).toMatchObject({ status: 400, json: { error: { field } } });
      expect(await read("usage.csv", query)).toMatchObject({ status: 400, json: { error: { field } } });
    }
  });

  it("is exported as CSV, by account, key and model", async () => {
    await chat(ada.key.secret);
    await chat(bob.key.secret);
    await settled(2);
    const { text, headers } = await read("usage.csv");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toContain("sotto-service-usage-2030-01-01-2030-01-02.csv");
    const [heading = "", ...lines] = text.trimEnd().split("\r\n");
    expect(heading.split(",").slice(0, 7)).toEqual([
      ...["start", "account", "key", "key_last_four", "key_id", "model", "requests"],
    ]);
    const cells = ({ key: { key } }: typeof ada) => [key.lastFour, key.id, "omega", "1"];
    expect(lines.map((line) => line.split(",").slice(0, 7))).toEqual([
      ["2030-01-01T09:00:00.000Z", "ada@example.com", "laptop", ...cells(ada)],
      // What would be a formula is text.
      ["2030-01-01T09:00:00.000Z", "bob@example.com", "'=server", ...cells(bob)],
    ]);
    expect((await read("usage.csv", { account: ada.id })).text.trimEnd().split("\r\n")).toHaveLength(2);
  });

  it("keeps the sums, and no name, when an account is deleted", async () => {
    await chat(ada.key.secret);
    await settled(1);
    await dashboard.usageWritten(1);
    await dashboard.app.store.deleteAccount(ada.id);
    expect((await report()).totals.requests).toBe(1);
    const tables = dashboard.tables();
    for (const name of ["service_usage", "outcomes"]) {
      expect(tables.get(name)).not.toBe("");
      expect(tables.get(name)).not.toContain(ada.id);
      expect(tables.get(name)).not.toContain(ada.key.key.id);
    }
  });
});
