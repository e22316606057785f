/** The last 90 days on the public status page and in its feed. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outcomes } from "../../src/core/admin/ports.js";
import { ServiceError } from "../../src/core/errors.js";
import type { StatusHistory } from "../../src/protocol/dashboard/admin.js";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

const hourMs = 3_600_000;

describe("the status of the last 90 days", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  let operator: Browser;
  beforeEach(async () => {
    clock = new FakeClock(new Date("2030-04-01T09:30:00Z"));
    dashboard = await startDashboard({ clock });
    operator = await dashboard.setUp();
  });
  afterEach(() => dashboard.close());

  const history = () => dashboard.browser().get<StatusHistory>("/api/status/history");
  const feed = async () => (await dashboard.browser().send("GET", "/status.atom")).text;
  const add = (
    hour: string,
    counts: Partial<Record<Outcomes["code"], number>>,
    model: Outcomes["model"] = "omega",
  ) =>
    dashboard.app.store.service.outcomes.add(
      Object.entries(counts).map(([code, requests]) => ({
        start: new Date(`${hour}:00:00Z`),
        model,
        code: code as Outcomes["code"],
        requests,
      })),
    );

  it("is the share of requests that were answered, by model and day", async () => {
    await add("2030-03-31T10", { none: 90, invalid_value: 5, rate_limit_exceeded: 4, overloaded: 1 });
    await add("2030-04-01T08", { none: 1, engine_unavailable: 1, internal_error: 2 });
    await add("2030-01-02T00", { internal_error: 7 }, "prism");
    const { models, since } = await history();
    const [omega, prism, lambda] = models;
    expect(omega?.days).toHaveLength(90);
    expect(omega?.days.at(-2)).toEqual({
      date: "2030-03-31",
      requests: 100,
      failed: 1,
      maintenance: 0,
      availability: 0.99,
    });
    expect(omega?.days.at(-1)).toMatchObject({
      date: "2030-04-01",
      requests: 4,
      failed: 3,
      availability: 0.25,
    });
    expect(omega?.days.at(-3)).toMatchObject({ requests: 0, availability: null });
    expect(omega?.availability).toBeCloseTo(100 / 104);
    expect(prism?.days[0]).toMatchObject({ date: "2030-01-02", failed: 7, availability: 0 });
    expect(lambda?.availability).toBeNull();
    expect(since).toBe("2030-01-02T00:00:00.000Z");
  });

  it("excludes refusals for maintenance, and counts failures before the model is known for every model", async () => {
    await add("2030-04-01T08", { none: 8, maintenance: 50 });
    await add("2030-04-01T08", { overloaded: 2, invalid_api_key: 100, maintenance: 3 }, null);
    const { models } = await history();
    expect(models.map(({ days }) => days.at(-1))).toMatchObject([
      { requests: 10, failed: 2, maintenance: 53, availability: 0.8 },
      { requests: 2, failed: 2, availability: 0 },
      { requests: 2, failed: 2, availability: 0 },
    ]);
  });

  it("counts real requests, with and without an account", async () => {
    const { secret } = await operator.post<KeyWithSecret>("/api/keys", {
      name: "k",
      models: null,
      expiresInDays: null,
    });
    const chat = () =>
      postChat(dashboard.url, secret, { model: "prism" }).then((response) => response.text());
    await chat();
    dashboard.engine.script = () => ({
      fragments: ["a"],
      failure: { at: 0, error: new ServiceError("engine_unavailable") },
    });
    await chat();
    await eventually(async () => {
      await dashboard.app.dashboard.outcomes.flush();
      // What is shown is up to a minute old.
      clock.advance(61_000);
      const today = (await history()).models[1]?.days.at(-1);
      return today?.requests === 2 && today.failed === 1;
    });
  });

  it("calls a run of hours with many failures an incident, of all models that it was in", async () => {
    await add("2030-03-30T10", { none: 10, engine_unavailable: 3 });
    await add("2030-03-30T11", { none: 10, engine_unavailable: 9 }, "prism");
    await add("2030-03-30T13", { none: 10, engine_unavailable: 2 });
    await add("2030-03-30T14", { none: 1_000, internal_error: 40 });
    await add("2030-03-30T15", { none: 10, overloaded: 5 });
    expect((await history()).incidents).toEqual([
      {
        startsAt: "2030-03-30T15:00:00.000Z",
        endsAt: "2030-03-30T16:00:00.000Z",
        models: ["omega"],
        failed: 5,
      },
      {
        startsAt: "2030-03-30T10:00:00.000Z",
        endsAt: "2030-03-30T12:00:00.000Z",
        models: ["omega", "prism"],
        failed: 12,
      },
    ]);
  });

  it("has maintenance that took place, and a feed of it and of incidents", async () => {
    const schedule = (title: string, hours: number) =>
      operator.post<{ id: string }>("/api/admin/maintenance", {
        title,
        body: "",
        startsAt: new Date(clock.now().getTime() + hours * hourMs).toISOString(),
        endsAt: new Date(clock.now().getTime() + (hours + 1) * hourMs).toISOString(),
      });
    await schedule("New <disks>", 1);
    const off = await schedule("Never", 2);
    await operator.post(`/api/admin/maintenance/${off.id}/end`);
    await add("2030-04-01T08", { internal_error: 3 });
    expect((await history()).maintenance).toEqual([]);
    clock.advance(3 * hourMs);
    expect((await history()).maintenance.map(({ title, state }) => [title, state])).toEqual([
      ["New <disks>", "over"],
    ]);
    const text = await feed();
    expect(text).toContain('<title type="text">Maintenance: New &lt;disks&gt;</title>');
    expect(text).toContain('<title type="text">Incident: omega</title>');
    expect(text).toContain("3 requests failed");
    const ids = [...text.matchAll(/<id>(.*)<\/id>/g)].map(([, id]) => id ?? "");
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(text).toContain('rel="self" type="application/atom+xml" href="' + dashboard.url + '/status.atom"');
    expect(await feed()).toBe(text);
    // A feed of its own, with the same entries for the same maintenance.
    const changelog = (await dashboard.browser().send("GET", "/changelog.atom")).text;
    expect(changelog).not.toContain(ids[0]);
    expect(changelog).not.toContain("Incident");
  });
});
