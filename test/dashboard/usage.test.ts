import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noFirstTokens } from "../../src/core/first-tokens.js";
import { ServiceError } from "../../src/protocol/errors.js";
import type { KeyWithSecret, LimitsNow, UsageReport } from "../../src/protocol/dashboard.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/dashboard.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/fake-clock.js";

const hourMs = 60 * 60_000;

describe("usage", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  let ada: Browser;
  beforeEach(async () => {
    clock = new FakeClock(new Date("2030-01-01T09:30:00Z"));
    dashboard = await startDashboard({ clock });
    ada = await dashboard.signUp("ada@example.com");
  });
  afterEach(() => dashboard.close());

  const createKey = (name: string) =>
    ada.post<KeyWithSecret>("/api/keys", { name, models: null, expiresInDays: null });
  const chat = async (secret: string, body: object = {}) => {
    const response = await fetch(`${dashboard.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "omega",
        messages: [{ role: "user", content: "one two three" }],
        ...body,
      }),
    });
    await response.text();
    return response.status;
  };
  const playground = (body: object = {}) =>
    ada.send("POST", "/api/playground", {
      model: "prism",
      messages: [{ role: "user", content: "one two" }],
      stream: true,
      ...body,
    });
  const day = { from: "2030-01-01T00:00:00Z", to: "2030-01-02T00:00:00Z" };
  const read = (query: Record<string, string>) =>
    ada.send("GET", `/api/usage?${new URLSearchParams(query).toString()}`);
  const report = async (query: Record<string, string>) => (await read(query)).json as UsageReport;

  it("counts requests, tokens and errors by hour, key and model, with zeros where nothing was", async () => {
    const [laptop, server] = [await createKey("laptop"), await createKey("server")];
    await chat(laptop.secret);
    await chat(laptop.secret, { stream: true });
    await chat(server.secret, { model: "lambda" });
    await playground();
    dashboard.engine.script = () => ({
      fragments: ["a", "b"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    expect(await chat(laptop.secret)).toBe(503);
    clock.advance(2 * hourMs);
    dashboard.engine.script = () => ({ fragments: ["a"] });
    await chat(laptop.secret);

    await dashboard.usageWritten(6);
    const hours = await report({ ...day, step: "hour" });
    expect(hours.buckets).toHaveLength(24);
    expect(hours.buckets[9]).toMatchObject({
      start: "2030-01-01T09:00:00.000Z",
      requests: 5,
      errors: 1,
      promptTokens: 3 + 3 + 3 + 2 + 3,
      completionTokens: 4 + 4 + 4 + 4 + 1,
      firstTokenMsP50: expect.any(Number) as unknown,
    });
    expect(hours.buckets[10]).toEqual({
      start: "2030-01-01T10:00:00.000Z",
      requests: 0,
      errors: 0,
      promptTokens: 0,
      completionTokens: 0,
      firstTokenMsP50: null,
      firstTokenMsP95: null,
    });
    expect(hours.buckets[11]).toMatchObject({ requests: 1, completionTokens: 1 });
    expect(hours.totals).toMatchObject({ requests: 6, errors: 1 });
    expect(hours.byModel).toEqual([
      { model: "omega", requests: 4, tokens: 12 + 10 },
      { model: "prism", requests: 1, tokens: 6 },
      { model: "lambda", requests: 1, tokens: 7 },
    ]);
    expect(hours.byKey.map(({ name, requests }) => [name, requests]).sort()).toEqual([
      ["Playground", 1],
      ["laptop", 4],
      ["server", 1],
    ]);

    const days = await report({ ...day, step: "day" });
    expect(days.buckets).toMatchObject([{ start: "2030-01-01T00:00:00.000Z", requests: 6 }]);
    expect((await report({ ...day, step: "day", key: server.key.id })).totals.requests).toBe(1);
    expect((await report({ ...day, step: "day", key: "playground" })).totals.requests).toBe(1);
    expect((await report({ ...day, step: "day", model: "omega" })).totals.requests).toBe(4);
  });

  it("reads ranges longer than what is read at once, without a step lost or counted twice", async () => {
    const account = await dashboard.app.store.findAccountByEmail("ada@example.com");
    const start = Date.parse("2030-01-01T00:00:00Z");
    await dashboard.app.store.usage.add(
      Array.from({ length: 31 * 24 }, (_, hour) => ({
        accountId: account?.id ?? "",
        keyId: "playground",
        model: "omega" as const,
        start: new Date(start + hour * hourMs),
        requests: 1,
        errors: 0,
        promptTokens: 0,
        completionTokens: 0,
        firstTokenMs: 0,
        firstTokens: noFirstTokens,
      })),
    );
    const month = { from: "2030-01-01T00:00:00Z", to: "2030-02-01T00:00:00Z" };
    const hours = await report({ ...month, step: "hour" });
    expect(hours.buckets).toHaveLength(31 * 24);
    expect(hours.buckets.every(({ requests }) => requests === 1)).toBe(true);
    expect(hours.byKey).toMatchObject([{ name: "Playground", requests: 31 * 24 }]);
    const days = await report({ ...month, step: "day" });
    expect(days.buckets.map(({ requests }) => requests)).toEqual(new Array(31).fill(24));
    for (const [step, lines] of [
      ["hour", 31 * 24],
      ["day", 31],
    ] as const) {
      const query = new URLSearchParams({ ...month, step });
      const { text } = await ada.send("GET", `/api/usage.csv?${query.toString()}`);
      expect(text.trimEnd().split("\r\n")).toHaveLength(lines + 1);
    }
  });

  it("shows nobody what another account used", async () => {
    const { secret, key } = await createKey("laptop");
    await chat(secret);
    await dashboard.usageWritten(1);
    const eve = await dashboard.signUp("eve@example.com");
    const query = new URLSearchParams({ ...day, step: "day", key: key.id });
    const theirs = await eve.get<UsageReport>(`/api/usage?${query.toString()}`);
    expect(theirs.totals.requests).toBe(0);
    expect(theirs.byKey).toEqual([]);
  });

  it.each([
    [{ from: day.to, to: day.from, step: "day" }, "to"],
    [{ from: day.from, to: "2031-03-01T00:00:00Z", step: "day" }, "to"],
    [{ from: day.from, to: "2030-02-02T00:00:00Z", step: "hour" }, "to"],
    [{ from: "yesterday", to: day.to, step: "day" }, "from"],
    [{ ...day, step: "minute" }, "step"],
    [{ ...day, step: "day", model: "gpt-4" }, "model"],
    [{ ...day }, "step"],
  ])("is not read over a range that makes no sense or has no end: %j", async (query, field) => {
    expect(await read(query)).toMatchObject({
      status: 400,
      json: { error: { code: "bad_request", field } },
    });
  });

  it("downloads as CSV in which no cell is a formula", async () => {
    const names = ["=1+1", "+1", "-1", "@SUM(A1)", 'say "hi", now', "plain"];
    for (const name of names) await chat((await createKey(name)).secret);
    await dashboard.usageWritten(names.length);
    const query = new URLSearchParams({ ...day, step: "day" });
    const file = await ada.send("GET", `/api/usage.csv?${query.toString()}`);
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe(
      'attachment; filename="sotto-usage-2030-01-01-2030-01-02.csv"',
    );
    const lines = file.text.trimEnd().split("\r\n");
    expect(lines[0]).toBe(
      "start,key,model,requests,errors,prompt_tokens,completion_tokens,first_token_ms_p50,first_token_ms_p95",
    );
    const cells = lines.slice(1).map((line) => line.slice(line.indexOf(",") + 1, line.indexOf(",omega,")));
    expect(cells.sort()).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", '"say ""hi"", now"', "plain"].sort());
  });

  it("is in the database within five seconds, so that a killed process loses no more", async () => {
    await chat((await createKey("laptop")).secret);
    await eventually(() => dashboard.tables().get("usage") !== "", 5_000);
  });

  it("is written when the service stops, so that nothing is lost", async () => {
    await chat((await createKey("laptop")).secret);
    expect(dashboard.tables().get("usage")).toBe("");
    await dashboard.app.close();
    expect(dashboard.tables().get("usage")).toContain('"requests":1');
  });

  it("shows what is left of the limits", async () => {
    const before = await ada.get<LimitsNow>("/api/limits");
    expect(before).toMatchObject({
      plan: { id: "free" },
      requests: { limit: 600, remaining: 600, resetSeconds: 0 },
      tokens: { limit: 200_000, remaining: 200_000 },
      concurrent: { limit: 16, held: 0 },
    });
    expect(before.queues.map(({ model }) => model)).toEqual(["omega", "prism", "lambda"]);
    await playground();
    const after = await ada.get<LimitsNow>("/api/limits");
    expect(after.requests).toMatchObject({ remaining: 599, resetSeconds: 60 });
    expect(after.tokens.remaining).toBe(200_000 - 6);
  });
});
