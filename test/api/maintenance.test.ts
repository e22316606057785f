/** A maintenance window from its announcement to its end, on the whole service. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Maintenance } from "../../src/protocol/dashboard/api.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";

const minuteMs = 60_000;
const question = { model: "omega", messages: [{ role: "user", content: "hello" }], stream: true };

let service: TestDashboard;
let clock: FakeClock;
let operator: Browser;
let key: string;
beforeEach(async () => {
  clock = new FakeClock(new Date("2030-01-01T09:00:00Z"));
  service = await startDashboard({ clock, env: { SOTTO_DRAIN_MS: "120000" } });
  operator = await service.setUp();
  const made = await operator.post<{ secret: string }>("/api/keys", {
    name: "k",
    models: null,
    expiresInDays: null,
  });
  key = made.secret;
});
afterEach(() => service.close());

const api = (path: string, body?: object) =>
  fetch(`${service.url}/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const schedule = (from: string, to: string) =>
  operator.post<Maintenance>("/api/admin/maintenance", {
    title: "New disks",
    body: "",
    startsAt: `2030-01-01T${from}:00Z`,
    endsAt: `2030-01-01T${to}:00Z`,
  });
const announced = async () => (await api("/models")).headers.get("x-sotto-maintenance");
const isReady = async () => (await fetch(`${service.url}/readyz`)).status === 200;

describe("maintenance", () => {
  it("is announced by a header, refuses when it begins, and ends by itself", async () => {
    expect(await announced()).toBeNull();
    await schedule("10:00", "11:00");
    await eventually(async () => (await announced()) === "2030-01-01T10:00:00Z/2030-01-01T11:00:00Z");
    expect((await api("/chat/completions", question)).status).toBe(200);

    clock.advance(60 * minuteMs);
    const refused = await api("/chat/completions", question);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("59");
    expect(await refused.json()).toMatchObject({
      error: {
        code: "maintenance",
        type: "server_error",
        message: expect.stringContaining("until 2030-01-01T11:00:00Z") as unknown,
      },
    });
    expect(await isReady()).toBe(false);

    clock.advance(60 * minuteMs);
    expect((await api("/chat/completions", question)).status).toBe(200);
    expect(await isReady()).toBe(true);
    expect(await announced()).toBeNull();
  });

  it("ends at the operator's word", async () => {
    const { id } = await schedule("08:00", "11:00");
    await eventually(async () => !(await isReady()));
    await operator.must("POST", `/api/admin/maintenance/${id}/end`, {});
    await eventually(isReady);
    expect((await api("/chat/completions", question)).status).toBe(200);
  });

  it("lets running streams finish within the drain time", async () => {
    service.engine.hold();
    const finishing = api("/chat/completions", question);
    await eventually(() => service.engine.active === 1);
    await schedule("09:01", "11:00");
    await eventually(async () => (await announced()) !== null);
    clock.advance(2 * minuteMs);
    await eventually(async () => !(await isReady()));
    service.engine.release();
    expect(await (await finishing).text()).toContain("[DONE]");
  });

  it("ends streams that run past the drain time, with the reason", async () => {
    service.engine.hold();
    service.engine.release(1);
    const running = await api("/chat/completions", question);
    await schedule("09:01", "11:00");
    await eventually(async () => (await announced()) !== null);
    clock.advance(4 * minuteMs);
    const text = await running.text();
    expect(text).toContain('"code":"maintenance"');
    expect(text).not.toContain("[DONE]");
    await eventually(() => service.engine.active === 0);
  });
});
