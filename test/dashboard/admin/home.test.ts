/** What an operator sees first: a checklist that ticks itself off, and the last hour of the server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { KeyWithSecret, OneTimeLink, Site } from "../../../src/protocol/dashboard/api.js";
import type { ChecklistItem } from "../../../src/core/admin/service-views.js";
import type { AdminHome } from "../../../src/protocol/dashboard/admin.js";
import { systemClock } from "../../../src/core/clock.js";
import { ensureSetupLink } from "../../../src/core/sign-in/one-time-links.js";
import { ServiceError } from "../../../src/core/errors.js";
import { backUpSqlite } from "../../../src/store/sql/backup.js";
import { databasePath } from "../../../src/store/sql/sqlite.js";
import { postChat } from "../../support/clients/post-chat.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  tokenOf,
  type Browser,
  type TestDashboard,
  type TestDashboardOptions,
} from "../../support/processes/dashboard-server.js";

const minuteMs = 60_000;

let dashboard: TestDashboard;
let operator: Browser;
let folder: string | undefined;
afterEach(async () => {
  await dashboard.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  folder = undefined;
});

async function start(options: TestDashboardOptions = {}): Promise<void> {
  dashboard = await startDashboard(options);
  operator = await dashboard.setUp();
}
const home = () => operator.get<AdminHome>("/api/admin/home");
const states = async (): Promise<Partial<Record<ChecklistItem, string>>> =>
  Object.fromEntries((await home()).checklist.entries.map(({ id, state }) => [id, state]));

describe("the checklist", () => {
  it("is open after set-up, except for items already done", async () => {
    await start();
    expect(await states()).toEqual({
      operator: "open",
      model: "done",
      signUp: "open",
      mail: "open",
      address: "open",
      invite: "open",
      backup: "open",
    });
    const { checklist } = await home();
    expect(checklist).toMatchObject({ isHidden: false, signUp: "open", publicUrl: null });
    expect(checklist.backupCommand).toMatch(/^sotto backup /);
  });

  it("ticks itself off from the configuration", async () => {
    await start({
      env: {
        SOTTO_SIGN_UP: "invite",
        SOTTO_SMTP_URL: "smtp://127.0.0.1:2525",
        SOTTO_MAIL_FROM: "sotto@example.com",
        SOTTO_PUBLIC_URL: "https://sotto.example.com",
      },
    });
    expect(await states()).toMatchObject({ signUp: "done", mail: "done", address: "done", invite: "open" });
  });

  it("does not take an address without TLS for one with it", async () => {
    await start({ env: { SOTTO_PUBLIC_URL: "http://sotto.example.com" } });
    expect(await states()).toMatchObject({ address: "open" });
  });

  it("ticks itself off when someone is invited, and not when a stranger signs up", async () => {
    await start();
    await dashboard.signUp("ada@example.com");
    expect(await states()).toMatchObject({ invite: "open" });
    const { link } = await operator.post<OneTimeLink>("/api/admin/invites", {});
    expect(await states()).toMatchObject({ invite: "done" });
    const body = { email: "bob@example.com", password, invite: tokenOf(link) };
    await dashboard.browser().post("/api/sign-up", body);
    expect(await states()).toMatchObject({ invite: "done" });
  });

  it("asks for the operator's name and contact, which everyone then sees", async () => {
    await start();
    const site = () => dashboard.browser().get<Site>("/api/site");
    expect((await site()).operator).toEqual({ name: null, contact: null, isNameConfigured: false });
    const save = (body: object) => operator.send("PUT", "/api/admin/operator", body);
    expect((await save({ name: "Acme", contact: "javascript:alert(1)" })).json).toMatchObject({
      error: { field: "contact" },
    });
    expect((await save({ name: "Acme", contact: "help@example.com" })).status).toBe(200);
    expect((await site()).operator).toMatchObject({ name: "Acme", contact: "help@example.com" });
    expect(await states()).toMatchObject({ operator: "done" });
    expect(await (await fetch(`${dashboard.url}/changelog.atom`)).text()).toContain("<name>Acme</name>");
    expect((await save({ name: " ", contact: "https://example.com/help" })).status).toBe(200);
    expect((await site()).operator).toMatchObject({ name: null, contact: "https://example.com/help" });
    const ada = await dashboard.signUp("ada@example.com");
    expect((await ada.send("PUT", "/api/admin/operator", { name: "Eve", contact: "" })).status).toBe(403);
  });

  it("takes the operator's details at set-up, and their name from the configuration", async () => {
    dashboard = await startDashboard({ env: { SOTTO_OWNER_NAME: "Acme" } });
    const link = await ensureSetupLink(dashboard.app.store, systemClock, dashboard.url);
    const body = { token: tokenOf(link ?? ""), email: "op@example.com", password, name: "Other" };
    operator = dashboard.browser();
    expect((await operator.send("POST", "/api/setup", { ...body, contact: "nonsense" })).json).toMatchObject({
      error: { field: "contact" },
    });
    await operator.post("/api/setup", { ...body, contact: "help@example.com" });
    const { operator: shown } = await operator.get<Site>("/api/site");
    expect(shown).toEqual({ name: "Acme", contact: "help@example.com", isNameConfigured: true });
  });

  it("knows when sotto backup last ran", async () => {
    folder = await mkdtemp(join(tmpdir(), "sotto-backup-"));
    const dataDir = join(folder, "data");
    await start({ env: { SOTTO_DATA_DIR: dataDir } });
    const at = new Date("2030-01-01T08:00:00.000Z");
    await backUpSqlite(databasePath(dataDir), join(folder, "copy.db"), at);
    expect(await states()).toMatchObject({ backup: "done" });
    expect((await home()).checklist.lastBackupAt).toBe(at.toISOString());
  });

  it("can be ticked off where the server cannot know, and hidden when nothing is open", async () => {
    await start();
    const hide = () => operator.send("POST", "/api/admin/checklist/hide");
    const tick = (id: string, ticked: boolean) =>
      operator.send("POST", `/api/admin/checklist/${id}`, { ticked });
    expect(await hide()).toMatchObject({ status: 409, json: { error: { code: "conflict" } } });
    for (const id of ["operator", "signUp", "mail", "address", "invite", "backup"]) {
      expect((await tick(id, true)).status).toBe(200);
    }
    expect(await states()).toMatchObject({ backup: "ticked" });
    await tick("backup", false);
    expect(await states()).toMatchObject({ backup: "open" });
    await tick("backup", true);
    expect((await hide()).status).toBe(200);
    expect((await home()).checklist.isHidden).toBe(true);
    expect((await tick("nothing", true)).status).toBe(404);
    expect((await operator.send("POST", "/api/admin/checklist/mail", {})).json).toMatchObject({
      error: { field: "ticked" },
    });
  });
});

describe("the last hour", () => {
  const chat = async (key: string): Promise<number> => {
    const response = await postChat(dashboard.url, key);
    await response.text();
    return response.status;
  };

  it("counts requests, errors and refusals by minute, with zeros between, and for an hour", async () => {
    const clock = new FakeClock(new Date("2030-01-01T09:30:20Z"));
    await start({ clock });
    const plan = { name: "Free", tokensPerMinute: 1_000, concurrentRequests: 2, maxKeys: 9, maxTokens: null };
    await operator.must("PUT", "/api/admin/plans/free", { ...plan, requestsPerMinute: 2, models: null });
    const { secret } = await operator.post<KeyWithSecret>("/api/keys", {
      name: "k",
      models: null,
      expiresInDays: null,
    });
    expect(await chat(secret)).toBe(200);
    dashboard.engine.script = () => ({
      fragments: ["a"],
      failure: { at: 0, error: new ServiceError("engine_unavailable") },
    });
    expect(await chat(secret)).toBe(503);
    expect(await chat(secret)).toBe(429);
    const last = async () => (await home()).minutes.at(-1);
    await eventually(async () => (await last())?.requests === 3);
    expect(await last()).toMatchObject({
      start: "2030-01-01T09:30:00.000Z",
      requests: 3,
      errors: 1,
      refused: 1,
    });
    clock.advance(3 * minuteMs);
    const { minutes } = await home();
    expect(minutes.slice(-4).map(({ requests }) => requests)).toEqual([3, 0, 0, 0]);
    clock.advance(59 * minuteMs);
    const later = (await home()).minutes;
    expect(later).toHaveLength(60);
    expect(later.every(({ requests }) => requests === 0)).toBe(true);
  });

  it("has the engines, the queue and the machine", async () => {
    await start();
    await dashboard.app.dashboard.live.sample();
    const { engines, machine, running, waiting, capacity, startedAt } = await home();
    expect(engines.flatMap(({ models }) => models).sort()).toEqual(["lambda", "omega", "prism"]);
    expect(engines[0]).toMatchObject({ state: "ready", problem: null });
    expect({ running, waiting }).toEqual({ running: 0, waiting: 0 });
    expect(capacity).toBeGreaterThan(0);
    for (const room of [machine.memory, machine.disk]) {
      expect(room?.totalBytes).toBeGreaterThan(0);
      expect(room?.usedBytes).toBeLessThanOrEqual(room?.totalBytes ?? 0);
    }
    expect(Date.parse(startedAt)).not.toBeNaN();
  });
});
