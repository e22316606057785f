import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InviteView } from "../../../src/protocol/dashboard/accounts.js";
import type { AuditPage } from "../../../src/protocol/dashboard/audit.js";
import type { Me, OneTimeLink } from "../../../src/protocol/dashboard/api.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  tokenOf,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

const dayMs = 24 * 60 * 60_000;

describe("invitations", () => {
  let dashboard: TestDashboard;
  let operator: Browser;
  const clock = new FakeClock();
  beforeAll(async () => {
    dashboard = await startDashboard({ clock, env: { SOTTO_SIGN_UP: "invite" } });
    operator = await dashboard.setUp();
    await operator.must("PUT", "/api/admin/plans/team", {
      ...{ name: "Team", requestsPerMinute: 60, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 10 },
      ...{ maxTokens: null, models: null },
    });
  });
  afterAll(() => dashboard.close());

  const invite = (body: object) => operator.post<OneTimeLink>("/api/admin/invites", body);
  const pending = async () => (await operator.get<{ invites: InviteView[] }>("/api/admin/invites")).invites;
  const accept = (link: string, email: string) =>
    dashboard.browser().send("POST", "/api/sign-up", { email, password, invite: tokenOf(link) });

  it("are listed with address, plan and expiry until they are used", async () => {
    const { link, expiresAt } = await invite({
      ...{ email: "Ada@Example.com", planId: "team", expiresInDays: 30 },
    });
    expect(Date.parse(expiresAt)).toBe(clock.now().getTime() + 30 * dayMs);
    const [listed] = await pending();
    expect(listed).toMatchObject({
      ...{ email: "Ada@Example.com", planId: "team", expiresAt, isForUnknownAddress: false },
    });
    expect(JSON.stringify(listed)).not.toContain(tokenOf(link));
    const signedUp = await accept(link, "ada@example.com");
    expect((signedUp.json as Me).plan.id).toBe("team");
    expect(await pending()).toEqual([]);
    expect(dashboard.tables().get("links")).not.toContain("Example.com");
  });

  it("work for anyone, on the default plan and for seven days, unless more is asked", async () => {
    const { link, expiresAt } = await invite({});
    expect(Date.parse(expiresAt)).toBe(clock.now().getTime() + 7 * dayMs);
    expect(await pending()).toMatchObject([{ email: null, planId: null }]);
    expect(((await accept(link, "bob@example.com")).json as Me).plan.id).toBe("free");
  });

  it("stop working when they are revoked, and can be revoked once", async () => {
    const { link } = await invite({ email: "eve@example.com" });
    const [listed] = await pending();
    await operator.must("DELETE", `/api/admin/invites/${listed?.id ?? ""}`);
    expect(await pending()).toEqual([]);
    expect((await accept(link, "eve@example.com")).status).toBe(404);
    expect(await operator.send("DELETE", `/api/admin/invites/${listed?.id ?? ""}`)).toMatchObject({
      status: 404,
      json: { error: { code: "not_found" } },
    });
    const rows = dashboard.tables().get("audit") ?? "";
    expect(rows).toContain("revoked invitation");
    expect(rows).not.toContain("eve@example.com");
  });

  it("are named in the audit trail by their address while they are pending, which it does not keep", async () => {
    const { link } = await invite({ email: "Grace@Example.com" });
    await invite({});
    const targets = async (count: number) => {
      const { entries } = await operator.get<AuditPage>("/api/admin/audit");
      return entries
        .filter(({ action }) => action.endsWith("invitation"))
        .slice(0, count)
        .map(({ target, targetIsId }) => [target, targetIsId]);
    };
    expect(await targets(2)).toEqual([
      ["anyone", false],
      ["Grace@Example.com", false],
    ]);
    expect((dashboard.tables().get("audit") ?? "").toLowerCase()).not.toContain("grace@");
    await accept(link, "grace@example.com");
    await operator.must("DELETE", `/api/admin/invites/${(await pending())[0]?.id ?? ""}`);
    const gone = ["no longer pending", false];
    expect(await targets(3)).toEqual([gone, gone, gone]);
    const { text } = await operator.send("GET", "/api/admin/audit.csv");
    expect(text).toContain("created invitation,no longer pending");
  });

  it("end when they expire, and are not listed any more", async () => {
    const { link } = await invite({ email: "late@example.com", expiresInDays: 1 });
    clock.advance(dayMs);
    await operator.post("/api/sign-in", { email: "operator@example.com", password });
    expect(await pending()).toEqual([]);
    expect((await accept(link, "late@example.com")).status).toBe(404);
  });

  it.each([
    [{ email: "no address" }, 400, "email"],
    [{ email: "operator@example.com" }, 409, "email"],
    [{ planId: "none" }, 400, "planId"],
    [{ expiresInDays: 0 }, 400, "expiresInDays"],
    [{ expiresInDays: 91 }, 400, "expiresInDays"],
    [{ expiresInDays: "7" }, 400, "expiresInDays"],
  ])("are refused with the field named: %j", async (body, status, field) => {
    expect(await operator.send("POST", "/api/admin/invites", body)).toMatchObject({
      status,
      json: { error: { field } },
    });
    expect(await pending()).toEqual([]);
  });
});
