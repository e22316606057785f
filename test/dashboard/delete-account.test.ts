import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KeyWithSecret, Me } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { password, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";

describe("deleting an account", () => {
  let dashboard: TestDashboard;
  beforeEach(async () => {
    // The clock stands still: what is held in memory stays fresh unless it is told to go.
    dashboard = await startDashboard({ clock: new FakeClock() });
  });
  afterEach(() => dashboard.close());

  const chat = (secret: string) => postChat(dashboard.url, secret, { stream: true });

  it("leaves no row, no working key, no session and no running stream", async () => {
    const operator = await dashboard.setUp();
    const email = "ada@example.com";
    await operator.post("/api/admin/invites", { email });
    const ada = await dashboard.signUp(email);
    const elsewhere = dashboard.browser();
    await elsewhere.post("/api/sign-in", { email, password });
    const { account } = await ada.get<Me>("/api/me");
    const { key, secret } = await ada.post<KeyWithSecret>("/api/keys", {
      name: "adas-laptop",
      models: null,
      expiresInDays: null,
    });
    await (await chat(secret)).text();
    await dashboard.usageWritten(1);
    await operator.post(`/api/admin/accounts/${account.id}/reset-link`);
    for (const table of ["accounts", "keys", "sessions", "links", "usage", "audit"]) {
      expect(dashboard.tables().get(table)).toContain(account.id);
    }
    dashboard.engine.hold();
    dashboard.engine.release(1);
    const stream = await chat(secret);
    await eventually(() => dashboard.engine.active === 1);

    await ada.must("DELETE", "/api/me");

    expect(await stream.text()).not.toContain("[DONE]");
    await eventually(() => dashboard.engine.active === 0);
    expect((await chat(secret)).status).toBe(401);
    for (const browser of [ada, elsewhere]) expect((await browser.send("GET", "/api/me")).status).toBe(401);
    expect((await elsewhere.send("POST", "/api/sign-in", { email, password })).status).toBe(400);

    // The stream that was cut is counted after its account is gone; that must bring nothing back.
    await dashboard.app.dashboard.usage.flush();
    const traces = [email, "adas-laptop", account.id, key.id];
    const left = [...dashboard.tables()].flatMap(([table, rows]) =>
      rows
        .split("\n")
        .filter((row) => traces.some((trace) => row.includes(trace)))
        .map((row) => ({ table, ...(JSON.parse(row) as object) })),
    );
    // For two hours at most: from it every server learns that the account is gone.
    expect(left).toMatchObject([{ table: "changes", kind: "account_ended", subject: account.id }]);
    // None is left, neither to its password nor the invitation to its address.
    expect(dashboard.tables().get("links")).toBe("");
    const trail = (dashboard.tables().get("audit") ?? "").split("\n").map((row) => JSON.parse(row) as object);
    const { account: admin } = await operator.get<Me>("/api/me");
    expect(trail).toMatchObject([
      { actor: admin.id, action: "set up the service", target: admin.id },
      { actor: admin.id, action: "created invitation", target: expect.stringMatching(/^inv_/) as unknown },
      { actor: admin.id, action: "created reset link", target: "deleted account" },
      { actor: "deleted account", action: "deleted account", target: "deleted account" },
    ]);
    const { entries } = await operator.get<{ entries: object[] }>("/api/admin/audit");
    expect(entries[0]).toMatchObject({
      actor: "deleted account",
      target: "deleted account",
      targetIsId: false,
    });
  });

  it("leaves nothing of the address in the database's files while the server runs", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "sotto-deleted-"));
    const server = await startDashboard({ env: { SOTTO_DATA_DIR: dataDir }, databaseThreads: true });
    await server.setUp();
    const ada = await server.signUp("ada-canary@example.com");
    await ada.post("/api/keys", { name: "canary of ada", models: null, expiresInDays: null });
    const found = async () => {
      const names = (await readdir(dataDir)).filter((name) => name.startsWith("sotto.db"));
      const texts = await Promise.all(names.map((name) => readFile(join(dataDir, name), "latin1")));
      return names.filter((_name, place) => texts[place]?.includes("canary") === true);
    };
    expect(await found()).not.toEqual([]);
    await ada.must("DELETE", "/api/me");
    expect(await found()).toEqual([]);
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("is refused to the only admin", async () => {
    const operator = await dashboard.setUp();
    expect(await operator.send("DELETE", "/api/me")).toMatchObject({
      status: 409,
      json: { error: { code: "conflict" } },
    });
    expect((await operator.send("GET", "/api/me")).status).toBe(200);
  });
});
