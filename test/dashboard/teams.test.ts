/** Teams: who may do what in them, their keys, limits, usage and end. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DashboardParts } from "../../src/http/dashboard/parts.js";
import { teamRoutes } from "../../src/http/dashboard/teams.js";
import { dashboardRoutes } from "../../src/http/dashboard/routes.js";
import type { TeamRole } from "../../src/core/entities.js";
import { noKeyLimits, noQuotas } from "../../src/core/entities.js";
import type { KeyList, KeyWithSecret, LimitsNow, Me, OneTimeLink } from "../../src/protocol/dashboard/api.js";
import type {
  AdminTeamDetail,
  MemberUsageList,
  TeamList,
  TeamPage,
} from "../../src/protocol/dashboard/teams.js";
import type { UsageReport } from "../../src/core/usage/usage-views.js";
import {
  password as passwordText,
  startDashboard,
  tokenOf,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

let dashboard: TestDashboard;
let operator: Browser;
let people: Record<TeamRole | "outsider", Browser>;
let ids: Record<string, string>;
let team: string;

const newKey = { name: "k", models: null, expiresInDays: null };
const roles = ["owner", "admin", "member", "viewer"] as const;

async function createTeam(name: string): Promise<string> {
  const body = { name, planId: "free", ownerEmail: "owner@example.com" };
  return (await operator.post<AdminTeamDetail>("/api/admin/teams", body)).team.id;
}

/** Every person joins in the role of their name. */
async function fillTeam(id: string): Promise<void> {
  for (const role of ["admin", "member", "viewer"] as const) {
    const { link } = await people.owner.post<OneTimeLink>(`/api/teams/${id}/invites`, { role });
    await people[role].post("/api/team-invitation/accept", { token: tokenOf(link) });
  }
}

beforeAll(async () => {
  dashboard = await startDashboard();
  operator = await dashboard.setUp();
  const join = (name: string) => dashboard.signUp(`${name}@example.com`);
  people = {
    owner: await join("owner"),
    admin: await join("admin"),
    member: await join("member"),
    viewer: await join("viewer"),
    outsider: await join("outsider"),
  };
  ids = {};
  for (const [name, browser] of Object.entries(people)) {
    ids[name] = (await browser.get<Me>("/api/me")).account.id;
  }
  team = await createTeam("Research");
  // Someone who is in another team.
  const others = { name: "Others", planId: "free", ownerEmail: "outsider@example.com" };
  await operator.post("/api/admin/teams", others);
  await fillTeam(team);
});
afterAll(() => dashboard.close());

const ask = async (secret: string) => {
  const response = await fetch(`${dashboard.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "omega", messages: [{ role: "user", content: "Hi" }] }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

/** By route: the roles that are let in, whatever the answer to an empty or wrong body. */
const allowed: Record<string, readonly TeamRole[]> = {
  "GET /teams/:team": roles,
  "PUT /teams/:team": ["owner", "admin"],
  "GET /teams/:team/counts": ["owner"],
  "DELETE /teams/:team": ["owner"],
  "POST /teams/:team/members/:id/role": ["owner", "admin"],
  "POST /teams/:team/members/:id/limits": ["owner", "admin"],
  "DELETE /teams/:team/members/:id": ["owner", "admin"],
  "GET /teams/:team/usage/members": ["owner", "admin", "viewer"],
  "GET /teams/:team/invites": ["owner", "admin"],
  "POST /teams/:team/invites": ["owner", "admin"],
  "DELETE /teams/:team/invites/:id": ["owner", "admin"],
  "GET /teams/:team/keys": ["owner", "admin", "member"],
  "GET /teams/:team/keys/page": ["owner", "admin", "member"],
  "GET /teams/:team/keys/usage": ["owner", "admin", "member"],
  "PUT /teams/:team/keys/:id": ["owner", "admin", "member"],
  "POST /teams/:team/keys": ["owner", "admin", "member"],
  "POST /teams/:team/keys/:id/rotate": ["owner", "admin", "member"],
  "POST /teams/:team/keys/:id/disable": ["owner", "admin", "member"],
  "POST /teams/:team/keys/:id/enable": ["owner", "admin", "member"],
  "POST /teams/:team/keys/:id/revoke": ["owner", "admin", "member"],
  "GET /teams/:team/usage": roles,
  "GET /teams/:team/usage/month": roles,
  "GET /teams/:team/usage.csv": ["owner", "admin", "viewer"],
  "GET /teams/:team/limits": roles,
};

/** Bodies that pass the reader, so that what answers is the right and not the form. */
const bodies: Record<string, object> = {
  "PUT /teams/:team": { name: "Research", joinDomain: null },
  "DELETE /teams/:team": { name: "Wrong" },
  "POST /teams/:team/members/:id/role": { role: "member" },
  "POST /teams/:team/members/:id/limits": { limits: noKeyLimits },
  "POST /teams/:team/keys": newKey,
  "PUT /teams/:team/keys/:id": { name: "k", models: null, limits: null, tags: [] },
  "POST /teams/:team/keys/:id/rotate": { graceHours: 0 },
};

const period = "?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&step=hour";

function send(browser: Browser, route: string, teamId: string) {
  const [method = "GET", path = ""] = route.split(" ");
  const address = path.replace(":team", teamId).replace(":id", "unknown");
  return browser.send(method, `/api${address}${path.includes("usage") ? period : ""}`, bodies[route] ?? {});
}

describe("every route of a team", () => {
  it("is in the table", () => {
    const nothing: unknown = new Proxy(() => undefined, { get: () => nothing, apply: () => nothing });
    const routes = dashboardRoutes(nothing as DashboardParts)
      .filter(({ path }) => path.startsWith("/teams/:team"))
      .map(({ method, path }) => `${method} ${path}`);
    const open = ["POST /teams/:team/join", "POST /teams/:team/leave"];
    expect(routes.sort()).toEqual([...Object.keys(allowed), ...open].sort());
    expect(teamRoutes(nothing as DashboardParts).every(({ access }) => access === "user")).toBe(true);
  });

  it.each(Object.keys(allowed))("%s answers only those who may", async (route) => {
    expect((await send(dashboard.browser(), route, team)).status).toBe(401);
    expect((await send(people.outsider, route, team)).status).toBe(404);
    expect((await send(operator, route, team)).status).toBe(404);
    expect((await send(people.owner, route, "team_unknown")).status).toBe(404);
    for (const role of roles) {
      const { status, text } = await send(people[role], route, team);
      const isLetIn = allowed[route]?.includes(role) === true;
      if (isLetIn) expect(`${route} ${role} ${status} ${text}`).not.toMatch(/forbidden|no such team/);
      else expect(`${route} ${role} ${status}`).toBe(`${route} ${role} 403`);
    }
  });

  it("is refused while the team is suspended, but for leaving it", async () => {
    const id = await createTeam("Paused");
    await fillTeam(id);
    await operator.post(`/api/admin/teams/${id}/suspend`);
    for (const route of Object.keys(allowed)) {
      expect(`${route} ${(await send(people.owner, route, id)).status}`).toBe(`${route} 403`);
    }
    await people.member.post(`/api/teams/${id}/leave`);
    await operator.post(`/api/admin/teams/${id}/resume`);
    expect((await people.owner.send("GET", `/api/teams/${id}`)).status).toBe(200);
    expect((await people.member.send("GET", `/api/teams/${id}`)).status).toBe(404);
  });
});

describe("roles", () => {
  it("are decided by owners and admins, those of owners by owners alone, and one owner remains", async () => {
    const id = await createTeam("Roles");
    await fillTeam(id);
    const role = (browser: Browser, member: string, to: TeamRole) =>
      browser.send("POST", `/api/teams/${id}/members/${ids[member]}/role`, { role: to });
    expect((await role(people.admin, "owner", "member")).status).toBe(403);
    expect((await role(people.admin, "member", "owner")).status).toBe(403);
    expect((await role(people.owner, "owner", "admin")).json).toMatchObject({ error: { code: "conflict" } });
    expect((await people.owner.send("POST", `/api/teams/${id}/leave`)).status).toBe(409);
    expect((await role(people.owner, "outsider", "admin")).status).toBe(404);
    expect((await role(people.admin, "member", "admin")).status).toBe(200);
    // Who was demoted may at once no longer.
    expect((await role(people.owner, "admin", "viewer")).status).toBe(200);
    expect((await role(people.admin, "member", "member")).status).toBe(403);
    const invited = await people.member.send("POST", `/api/teams/${id}/invites`, { role: "owner" });
    expect(invited.status).toBe(403);
  });
});

describe("keys of a team", () => {
  it("are a member's own or service keys, and members see theirs alone", async () => {
    const at = `/api/teams/${team}/keys`;
    const own = await people.member.post<KeyWithSecret>(at, newKey);
    expect(own.key.memberId).toBe(ids.member);
    expect((await people.member.send("POST", at, { ...newKey, isService: true })).status).toBe(403);
    const service = await people.admin.post<KeyWithSecret>(at, { ...newKey, isService: true });
    expect(service.key.memberId).toBeNull();
    const seen = async (who: Browser) => (await who.get<KeyList>(at)).keys.map(({ id }) => id);
    expect(await seen(people.member)).toContain(own.key.id);
    expect(await seen(people.member)).not.toContain(service.key.id);
    expect(await seen(people.owner)).toEqual(expect.arrayContaining([own.key.id, service.key.id]));
    // Neither another's key by its id, nor a key of a team as one's own.
    expect((await people.member.send("POST", `${at}/${service.key.id}/revoke`)).status).toBe(404);
    expect((await people.member.send("POST", `/api/keys/${own.key.id}/revoke`)).status).toBe(404);
    expect((await people.member.get<KeyList>("/api/keys")).keys).toEqual([]);
    expect((await ask(own.secret)).status).toBe(200);
    expect((await ask(service.secret)).status).toBe(200);
    // An admin can end a member's key, and not get one in the member's name.
    const rotated = await people.admin.send("POST", `${at}/${own.key.id}/rotate`, { graceHours: 0 });
    expect(rotated.status).toBe(403);
    const again = await people.member.post<KeyWithSecret>(`${at}/${own.key.id}/rotate`, { graceHours: 0 });
    expect(again.key.memberId).toBe(ids.member);
    await people.admin.post(`${at}/${again.key.id}/revoke`);
    expect((await ask(again.secret)).status).toBe(401);
  });

  it("end when their member leaves, is suspended or becomes a viewer; service keys go on", async () => {
    const id = await createTeam("Keys");
    await fillTeam(id);
    const mint = async (who: Browser, isService = false) =>
      (await who.post<KeyWithSecret>(`/api/teams/${id}/keys`, { ...newKey, isService })).secret;
    const [ofMember, ofAdmin] = [await mint(people.member), await mint(people.admin)];
    const service = await mint(people.admin, true);
    await operator.post(`/api/admin/accounts/${ids.member}/suspend`);
    expect((await ask(ofMember)).status).toBe(401);
    await operator.post(`/api/admin/accounts/${ids.member}/resume`);
    await people.member.post("/api/sign-in", { email: "member@example.com", password: passwordText });
    expect((await ask(ofMember)).status).toBe(200);
    await people.member.post(`/api/teams/${id}/leave`);
    expect((await ask(ofMember)).status).toBe(401);
    await people.owner.post(`/api/teams/${id}/members/${ids.admin}/role`, { role: "viewer" });
    expect((await ask(ofAdmin)).status).toBe(401);
    expect((await ask(service)).status).toBe(200);
    await operator.post(`/api/admin/teams/${id}/suspend`);
    expect((await ask(service)).status).toBe(401);
  });
});

describe("limits of a team", () => {
  it("are shared by all of its keys, and the refusal names whose limit it was", async () => {
    const id = await createTeam("Budget");
    await fillTeam(id);
    await operator.must("PUT", `/api/admin/teams/${id}/quotas`, { ...noQuotas, requestsPerDay: 3 });
    const secrets: string[] = [];
    for (const who of [people.owner, people.admin, people.member]) {
      secrets.push((await who.post<KeyWithSecret>(`/api/teams/${id}/keys`, newKey)).secret);
    }
    const [ofOwner = "", ofAdmin = "", ofMember = ""] = secrets;
    const limits = { ...noKeyLimits, requestsPerDay: 1 };
    await people.owner.post(`/api/teams/${id}/members/${ids.member}/limits`, { limits });
    expect((await ask(ofMember)).status).toBe(200);
    const byMember = await ask(ofMember);
    expect(byMember.status).toBe(429);
    expect(byMember.text).toContain("1 request per day on this member of the team 'Budget'");
    expect((await ask(ofOwner)).status).toBe(200);
    expect((await ask(ofAdmin)).status).toBe(200);
    const byTeam = await ask(ofOwner);
    expect(byTeam.status).toBe(429);
    expect(byTeam.text).toContain("3 requests per day on the team 'Budget'");
    expect(byTeam.headers.get("x-should-retry")).toBe("false");
    const now = await people.viewer.get<LimitsNow>(`/api/teams/${id}/limits`);
    expect(now.quotas).toMatchObject([{ kind: "requests", period: "day", limit: 3, remaining: 0 }]);
    // The person's own account has not paid for it.
    const { secret } = await people.member.post<KeyWithSecret>("/api/keys", newKey);
    expect((await ask(secret)).status).toBe(200);
  });
});

describe("usage of a team", () => {
  it("is shown by member to those who may, and in sums to members", async () => {
    const id = await createTeam("Usage");
    await fillTeam(id);
    const mint = async (who: Browser, isService = false) =>
      (await who.post<KeyWithSecret>(`/api/teams/${id}/keys`, { ...newKey, isService })).secret;
    const [ofMember, ofAdmin, service] = [
      await mint(people.member),
      await mint(people.admin),
      await mint(people.admin, true),
    ];
    for (const secret of [ofMember, ofMember, ofAdmin, service]) await ask(secret);
    const now = Date.now();
    const [from, to] = [now - 3_600_000, now + 3_600_000].map((time) => new Date(time).toISOString());
    const query = `?from=${from}&to=${to}&step=hour`;
    const { members } = await people.viewer.get<MemberUsageList>(`/api/teams/${id}/usage/members${query}`);
    expect(members.map(({ kind, email, requests }) => [kind, email, requests])).toEqual([
      ["member", "member@example.com", 2],
      ["member", "admin@example.com", 1],
      ["service keys", null, 1],
    ]);
    const report = await people.member.get<UsageReport>(`/api/teams/${id}/usage${query}`);
    expect(report.totals.requests).toBe(4);
    expect(report.byKey.map(({ name, requests }) => [name, requests])).toEqual([
      ["k", 2],
      ["Keys of others", 2],
    ]);
    const all = await people.viewer.get<UsageReport>(`/api/teams/${id}/usage${query}`);
    expect(all.byKey).toHaveLength(3);
  });
});

describe("joining", () => {
  it("takes an invitation that works once, and can be declined or revoked", async () => {
    const id = await createTeam("Invited");
    const invite = (body: object) => people.owner.post<OneTimeLink>(`/api/teams/${id}/invites`, body);
    const declined = tokenOf((await invite({})).link);
    expect(
      (await people.outsider.post<{ name: string }>("/api/team-invitation", { token: declined })).name,
    ).toBe("Invited");
    await people.outsider.post("/api/team-invitation/decline", { token: declined });
    expect((await people.outsider.send("POST", "/api/team-invitation", { token: declined })).status).toBe(
      404,
    );
    const revoked = tokenOf((await invite({})).link);
    const { invites } = await people.owner.get<{ invites: { id: string }[] }>(`/api/teams/${id}/invites`);
    await people.owner.send("DELETE", `/api/teams/${id}/invites/${invites[0]?.id}`);
    expect(
      (await people.outsider.send("POST", "/api/team-invitation/accept", { token: revoked })).status,
    ).toBe(404);
    const forMember = tokenOf((await invite({ email: "member@example.com", role: "viewer" })).link);
    const stolen = await people.outsider.send("POST", "/api/team-invitation/accept", { token: forMember });
    expect(stolen.status).toBe(403);
    await people.member.post("/api/team-invitation/accept", { token: forMember });
    expect((await people.member.get<TeamPage>(`/api/teams/${id}`)).role).toBe("viewer");
    expect(
      (await people.member.send("POST", "/api/team-invitation/accept", { token: forMember })).status,
    ).toBe(404);
  });

  it("is open to verified addresses of the domain that the team names", async () => {
    const id = await createTeam("Domain");
    const put = (joinDomain: string | null) =>
      people.owner.send("PUT", `/api/teams/${id}`, { name: "Domain", joinDomain });
    const offered = async () =>
      (await people.outsider.get<TeamList>("/api/teams")).offered.map((one) => one.id);
    expect((await put("example.com")).json).toMatchObject({ error: { field: "joinDomain" } });
    for (const name of ["owner", "outsider"]) {
      await dashboard.app.store.links.replaceOwn({
        ...{ kind: "verify", accountId: ids[name] ?? "", hash: hashOf(name), emailHash: null },
        ...{ createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) },
      });
      expect(await offered()).toEqual([]);
      await dashboard.app.store.links.verifyEmail(hashOf(name), new Date());
    }
    expect((await put("gmail.com")).status).toBe(400);
    expect((await people.outsider.send("POST", `/api/teams/${id}/join`)).status).toBe(404);
    expect((await put("example.com")).status).toBe(200);
    expect(await offered()).toEqual([id]);
    expect((await people.viewer.send("POST", `/api/teams/${id}/join`)).status).toBe(404);
    await people.outsider.post(`/api/teams/${id}/join`);
    expect(await offered()).toEqual([]);
    expect((await people.outsider.get<TeamPage>(`/api/teams/${id}`)).role).toBe("member");
    await people.outsider.post(`/api/teams/${id}/leave`);
    await put(null);
  });
});

describe("the end", () => {
  it("of a team says what goes and takes it; of its only owner's account it is refused with what to do", async () => {
    const id = await createTeam("Ending");
    await fillTeam(id);
    const { secret } = await people.owner.post<KeyWithSecret>(`/api/teams/${id}/keys`, newKey);
    const refused = await people.owner.send("DELETE", "/api/me");
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("'Ending'");
    expect(refused.text).toContain("Make another member an owner, or delete the team");
    const byAdmin = await operator.send("DELETE", `/api/admin/accounts/${ids.owner}`);
    expect(byAdmin.json).toMatchObject({ error: { code: "conflict" } });
    const counts = { members: 4, keys: 1, liveKeys: 1, invitations: 0 };
    expect(await people.owner.get(`/api/teams/${id}/counts`)).toEqual(counts);
    expect((await people.owner.send("DELETE", `/api/teams/${id}`, { name: "Other" })).status).toBe(400);
    expect((await people.owner.send("DELETE", `/api/teams/${id}`, { name: "Ending" })).json).toEqual(counts);
    expect((await ask(secret)).status).toBe(401);
    expect((await people.owner.get<TeamList>("/api/teams")).teams.map((one) => one.id)).not.toContain(id);
  });
});
