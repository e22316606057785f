import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditPage } from "../../../src/protocol/dashboard/audit.js";
import type { KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

const hourMs = 60 * 60_000;

describe("the audit trail", () => {
  let dashboard: TestDashboard;
  let operator: Browser;
  let ada: Browser;
  let adaId: string;
  let secret: string;
  let began: Date;
  const clock = new FakeClock();
  beforeAll(async () => {
    dashboard = await startDashboard({ clock });
    operator = await dashboard.setUp();
    began = clock.now();
    ada = await dashboard.signUp("ada@example.com");
    adaId = (await ada.get<Me>("/api/me")).account.id;
    const body = { name: "=laptop", models: null, expiresInDays: null };
    ({ secret } = await ada.post<KeyWithSecret>("/api/keys", body));
    clock.advance(hourMs);
    await operator.post(`/api/admin/accounts/${adaId}/suspend`);
    await operator.post(`/api/admin/accounts/${adaId}/resume`);
    await operator.post("/api/admin/changelog", { title: "Faster", body: "" });
  });
  afterAll(() => dashboard.close());

  const query = (filters: Record<string, string>) => new URLSearchParams(filters).toString();
  const find = async (filters: Record<string, string>) =>
    (await operator.get<AuditPage>(`/api/admin/audit?${query(filters)}`)).entries;
  const actions = async (filters: Record<string, string>) =>
    (await find(filters)).map(({ action }) => action);

  it("is filtered by actor, action and time", async () => {
    expect(await actions({ who: "ADA@example.com" })).toEqual(["created key", "signed up"]);
    expect(await actions({ who: adaId })).toEqual(["created key", "signed up"]);
    expect(await actions({ who: "command line" })).toEqual([]);
    expect(await actions({ what: "resumed account" })).toEqual(["resumed account"]);
    const later = new Date(began.getTime() + hourMs).toISOString();
    expect(await actions({ from: later, who: "operator@example.com" })).toEqual([
      ...["published changelog entry", "resumed account", "suspended account"],
    ]);
    expect(await actions({ to: later, what: "created key" })).toEqual(["created key"]);
    expect(await actions({ account: adaId })).toEqual([
      ...["resumed account", "suspended account", "created key", "signed up"],
    ]);
  });

  it("names people, keys, plans and announcements", async () => {
    const [created] = await find({ what: "created key" });
    expect(created).toMatchObject({
      ...{ actor: "ada@example.com", actorId: adaId, target: `=laptop (…${secret.slice(-4)})` },
      ...{ targetAccountId: adaId, targetOwner: "ada@example.com", targetIsId: false },
    });
    const [published] = await find({ what: "published changelog entry" });
    expect(published).toMatchObject({ target: "Faster", targetAccountId: null, targetIsId: false });
    const [suspended] = await find({ what: "suspended account" });
    expect(suspended).toMatchObject({ target: "ada@example.com", targetAccountId: adaId });
  });

  it("is exported as CSV by the same filters, with nothing that spreadsheets would run", async () => {
    const all = await operator.send("GET", "/api/admin/audit.csv");
    expect(all.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(all.headers.get("content-disposition")).toContain("sotto-audit.csv");
    const [headings, ...lines] = all.text.trimEnd().split("\r\n");
    expect(headings).toBe("time,actor,actor_account,actor_key,action,target,target_account,key_owner");
    expect(lines).toHaveLength((await find({})).length);
    const keys = await operator.send("GET", `/api/admin/audit.csv?${query({ what: "created key" })}`);
    expect(keys.text.trimEnd().split("\r\n").slice(1)).toEqual([
      `${began.toISOString()},ada@example.com,${adaId},,created key,'=laptop (…${secret.slice(-4)}),${adaId},ada@example.com`,
    ]);
  });

  it("is exported whole, however many pages it has", async () => {
    for (let i = 0; i < 1_203; i++) {
      await dashboard.app.store.audit.add({
        ...{ at: new Date(i), actor: "command line", action: "signed in", target: "" },
      });
    }
    const { text } = await operator.send("GET", `/api/admin/audit.csv?${query({ who: "command line" })}`);
    expect(text.trimEnd().split("\r\n")).toHaveLength(1_204);
  });

  it("has no key and no password in it", async () => {
    const rows = dashboard.tables().get("audit") ?? "";
    const { text } = await operator.send("GET", "/api/admin/audit.csv");
    for (const hidden of [secret, password, "127.0.0.1"]) {
      expect(rows).not.toContain(hidden);
      expect(text).not.toContain(hidden);
    }
  });

  it.each([
    [{ who: "nobody@example.com" }, "who"],
    [{ who: "x".repeat(300) }, "who"],
    [{ what: "made tea" }, "what"],
    [{ from: "yesterday" }, "from"],
    [{ to: "tomorrow" }, "to"],
    [{ account: "x".repeat(65) }, "account"],
  ])("refuses %j with the field named, in the list and in the export", async (filters, field) => {
    for (const path of ["/api/admin/audit", "/api/admin/audit.csv"]) {
      expect(await operator.send("GET", `${path}?${query(filters as Record<string, string>)}`)).toMatchObject(
        {
          status: 400,
          json: { error: { code: "bad_request", field } },
        },
      );
    }
  });
});
