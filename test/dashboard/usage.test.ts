import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noUsage } from "../../src/core/usage/usage-recorder.js";
import { ServiceError } from "../../src/core/errors.js";
import type { KeyWithSecret, LimitsNow } from "../../src/protocol/dashboard/api.js";
import type { UsageReport } from "../../src/core/usage/usage-views.js";
import { postChat } from "../support/clients/post-chat.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";

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
    const response = await postChat(dashboard.url, secret, {
      messages: [{ role: "user", content: "one two three" }],
      ...body,
    });
    await response.text();
    return response.status;
  };
  const playground = () =>
    ada.send("POST", "/api/playground", {
      model: "prism",
      messages: [{ role: "user", content: "one two" }],
      stream: true,
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
      rateLimited: 0,
      unavailable: 0,
      promptTokens: 0,
      completionTokens: 0,
      firstTokenMsP50: null,
      firstTokenMsP95: null,
    });
    expect(hours.buckets[11]).toMatchObject({ requests: 1, completionTokens: 1 });
    expect(hours.totals).toMatchObject({ requests: 6, errors: 1 });
    expect(hours.byModel).toEqual([
      { model: "omega", requests: 4, refused: 0, tokens: 12 + 10 },
      { model: "prism", requests: 1, refused: 0, tokens: 6 },
      { model: "lambda", requests: 1, refused: 0, tokens: 7 },
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

  it("reads ranges longer than one batch, without losing or repeating a step", async () => {
    const account = await dashboard.app.store.findAccountByEmail("ada@example.com");
    const start = Date.parse("2030-01-01T00:00:00Z");
    await dashboard.app.store.usage.add(
      Array.from({ length: 31 * 24 }, (_, hour) => ({
        accountId: account?.id ?? "",
        keyId: "playground",
        model: "omega" as const,
        start: new Date(start + hour * hourMs),
        ...noUsage,
        requests: 1,
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

  it("is there as soon as a request has ended, before it is written, and never counted twice", async () => {
    const { secret, key } = await createKey("laptop");
    const full = vi.spyOn(dashboard.app.store.usage, "add").mockRejectedValue(new Error("disk full"));
    await chat(secret);
    await eventually(async () => (await report({ ...day, step: "hour" })).totals.requests === 1);
    full.mockRestore();
    for (let i = 2; i <= 20; i++) {
      await chat(secret);
      const [flushed, { totals, buckets, byKey, byModel }] = await Promise.all([
        dashboard.app.dashboard.usage.flush(),
        // The record is made when the response is complete, which the client may notice first.
        eventually(async () => {
          const counted = await report({ ...day, step: "day" });
          expect(counted.totals.requests).toBeLessThanOrEqual(i);
          return counted.totals.requests === i && counted;
        }),
      ]);
      expect(flushed).toBeUndefined();
      expect(buckets[0]).toMatchObject({ requests: i, completionTokens: 4 * i });
      expect(byKey).toMatchObject([{ keyId: key.id, lastFour: key.lastFour, requests: i }]);
      expect(byModel).toMatchObject([{ model: "omega", requests: i }]);
      expect(totals.requests).toBe(i);
    }
    await chat(secret);
    const csv = new URLSearchParams({ ...day, step: "day" }).toString();
    await eventually(async () =>
      (await ada.send("GET", `/api/usage.csv?${csv}`)).text.includes(
        `,laptop,${key.lastFour},${key.id},omega,21,0,`,
      ),
    );
    expect((await report({ ...day, step: "day", key: "playground" })).totals.requests).toBe(0);
    expect((await report({ ...day, step: "day", model: "prism" })).totals.requests).toBe(0);
    const before = { from: "2029-12-31T00:00:00Z", to: "2030-01-01T00:00:00Z" };
    expect((await report({ ...before, step: "day" })).totals.requests).toBe(0);
  });

  it("counts refusals separately, by key and, if known, by model", async () => {
    const limits = { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null };
    const create = (name: string, own: object | null) =>
      ada.post<KeyWithSecret>("/api/keys", { name, models: null, expiresInDays: null, limits: own });
    const slow = await create("slow", limits);
    const small = await create("small", { ...limits, requestsPerMinute: null, tokensPerMinute: 4 });
    const plain = await create("plain", null);
    expect(await chat(slow.secret)).toBe(200);
    // Refused before its body is read.
    expect(await chat(slow.secret)).toBe(429);
    expect(await chat(slow.secret, { model: "prism" })).toBe(429);
    // Not a request for a completion.
    const headers = { authorization: `Bearer ${slow.secret}` };
    expect((await fetch(`${dashboard.url}/v1/models`, { headers })).status).toBe(429);
    // Three words and one token are all that it may have in a minute.
    expect(await chat(small.secret, { max_tokens: 1 })).toBe(200);
    expect(await chat(small.secret, { max_tokens: 1 })).toBe(429);
    dashboard.engine.options.state = "down";
    expect(await chat(plain.secret, { model: "lambda" })).toBe(503);
    // The client's own mistake is an error.
    expect(await chat(plain.secret, { model: "lambda", max_tokens: -1 })).toBe(400);

    const counted = await eventually(async () => {
      const { totals, byKey, byModel } = await report({ ...day, step: "hour" });
      return totals.rateLimited === 3 && totals.unavailable === 1 && { totals, byKey, byModel };
    });
    expect(counted.totals).toMatchObject({ requests: 2, errors: 0 });
    const byKey = counted.byKey.map(({ name, requests, refused }) => [name, requests, refused]);
    expect(byKey.sort()).toEqual([
      ["plain", 0, 1],
      ["slow", 1, 2],
      ["small", 1, 1],
    ]);
    expect(counted.byModel.map(({ model, requests, refused }) => [model, requests, refused])).toEqual([
      ["omega", 2, 1],
      ["lambda", 0, 1],
      [null, 0, 2],
    ]);
    await dashboard.app.dashboard.usage.flush();
    const query = new URLSearchParams({ ...day, step: "day" }).toString();
    const { text } = await ada.send("GET", `/api/usage.csv?${query}`);
    expect(text).toMatch(/,slow,\w{4},key_\w+,,0,0,2,0,0,0,/);
    expect((await report({ ...day, step: "day" })).totals).toEqual(counted.totals);
  });

  it("shows the exact time to first token if there was one reply", async () => {
    dashboard.engine.hold();
    const { secret } = await createKey("laptop");
    const reply = chat(secret);
    await eventually(() => dashboard.engine.active === 1);
    clock.advance(3_630);
    dashboard.engine.release();
    await reply;
    const { totals } = await eventually(async () => {
      const counted = await report({ ...day, step: "hour" });
      return counted.totals.requests === 1 && counted;
    });
    expect(totals).toMatchObject({ firstTokenMsP50: 3_630, firstTokenMsP95: 3_630 });
    await dashboard.usageWritten(1);
    expect((await report({ ...day, step: "hour" })).totals).toEqual(totals);
  });

  it("does not show another account's usage", async () => {
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
      "start,key,key_last_four,key_id,model,requests,errors,rate_limited,unavailable,prompt_tokens,completion_tokens,first_token_ms_p50,first_token_ms_p95",
    );
    const cells = lines
      .slice(1)
      .map((line) => line.slice(line.indexOf(",") + 1, line.search(/,\w{4},key_\w+,omega,/)));
    expect(cells.sort()).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", '"say ""hi"", now"', "plain"].sort());
  });

  it("is in the database within five seconds, so that a killed process loses no more", async () => {
    await chat((await createKey("laptop")).secret);
    await eventually(() => dashboard.tables().get("usage") !== "");
  });

  it("is written when the service stops, so that nothing is lost", async () => {
    // At once: it is also written every second or so.
    await chat((await createKey("laptop")).secret);
    await dashboard.app.close();
    expect(dashboard.tables().get("usage")).toContain('"requests":1');
  });

  it("shows the remaining limits", async () => {
    const before = await ada.get<LimitsNow>("/api/limits");
    expect(before).toMatchObject({
      plan: { id: "free" },
      requests: { limit: 600, remaining: 600, resetSeconds: 0 },
      tokens: { limit: 200_000, remaining: 200_000 },
      concurrent: { limit: 16, held: 0 },
    });
    // One engine, and so one queue, for all of them.
    expect(before.queues).toEqual([
      { models: ["omega", "prism", "lambda"], running: 0, waiting: 0, capacity: 4 },
    ]);
    await playground();
    const after = await ada.get<LimitsNow>("/api/limits");
    expect(after.requests).toMatchObject({ remaining: 599, resetSeconds: 60 });
    expect(after.tokens.remaining).toBe(200_000 - 6);
  });
});
