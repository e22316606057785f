/** Teams: who may do what in them, their keys, limits, usage and end. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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
import type { ServiceEvent } from "../../src/core/events/events.js";
import type { UsageReport } from "../../src/core/usage/usage-views.js";
import { postChat } from "../support/clients/post-chat.js";
import { textLike } from "../support/matchers.js";
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
/** Was an admin of the team before the account was suspended. */
let suspended: Browser;
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
  suspended = await join("suspended");
  const { id } = (await suspended.get<Me>("/api/me")).account;
  await operator.must("PUT", `/api/admin/teams/${team}/members/${id}`, { role: "admin" });
  await operator.post(`/api/admin/accounts/${id}/suspend`);
});
afterAll(() => dashboard.close());

const ask = async (secret: string, { url } = dashboard) => {
  const response = await postChat(url, secret);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

const question = { model: "omega", messages: [{ role: "user", content: "Hi" }] };

/** By route: the roles that are let in, whatever the answer to an empty or wrong body. */
const allowed: Record<string, readonly TeamRole[]> = {
  "GET /teams/:team": roles,
  "PUT /teams/:team": ["owner", "admin"],
  "PUT /teams/:team/security": ["owner"],
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
  "POST /teams/:team/playground": ["owner", "admin", "member"],
  "GET /teams/:team/usage": roles,
  "GET /teams/:team/usage/month": roles,
  "GET /teams/:team/usage.csv": ["owner", "admin", "viewer"],
  "GET /teams/:team/limits": roles,
};

/** Bodies that pass the reader, so that what answers is the right and not the form. */
const bodies: Record<string, object> = {
  "PUT /teams/:team": { name: "Research", joinDomain: null },
  "PUT /teams/:team/security": { allowFrom: null, secondFactorDays: null },
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
    expect((await send(suspended, route, team)).status).toBe(401);
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
    const inPlayground = await people.member.send("POST", `/api/teams/${id}/playground`, question);
    expect(inPlayground.status).toBe(429);
    expect(inPlayground.text).toContain("1 request per day on this member of the team 'Budget'");
    expect((await people.owner.send("POST", `/api/teams/${id}/playground`, question)).text).toContain(
      "3 requests per day on the team 'Budget'",
    );
    // The person's own account has not paid for it.
    const { secret } = await people.member.post<KeyWithSecret>("/api/keys", newKey);
    expect((await ask(secret)).status).toBe(200);
  });
});

describe("turns and cached prompts", () => {
  /** Whom the engine takes a request for: of a member, by key and in the playground, and of a service key. */
  async function parties(where: TestDashboard, owner: Browser, id: string): Promise<(string | undefined)[]> {
    for (const isService of [false, true]) {
      const { secret } = await owner.post<KeyWithSecret>(`/api/teams/${id}/keys`, { ...newKey, isService });
      expect((await ask(secret, where)).status).toBe(200);
    }
    await owner.post(`/api/teams/${id}/playground`, question);
    return where.engine.generations.slice(-3).map(({ accountId }) => accountId);
  }

  it("are a person's, and those of service keys the team's", async () => {
    const id = await createTeam("By member");
    expect(await parties(dashboard, people.owner, id)).toEqual([ids.owner, id, ids.owner]);
  });

  it("are the whole team's where the configuration says so", async () => {
    const other = await startDashboard({ env: { SOTTO_FAIRNESS: "team" } });
    try {
      const owner = await other.setUp("owner@example.com");
      const body = { name: "By team", planId: "free", ownerEmail: "owner@example.com" };
      const { team: made } = await owner.post<AdminTeamDetail>("/api/admin/teams", body);
      expect(await parties(other, owner, made.id)).toEqual([made.id, made.id, made.id]);
    } finally {
      await other.close();
    }
  });
});

describe("networks of a team", () => {
  const here = "127.0.0.1";
  const secure = (allowFrom: string[] | null, by = people.owner, id = team) =>
    by.send("PUT", `/api/teams/${id}/security`, { allowFrom, secondFactorDays: null });

  it("are asked of every key and page, and of a key besides its own", async () => {
    const id = await createTeam("Fenced");
    await fillTeam(id);
    const create = (allowFrom: string[] | null) =>
      people.member.post<KeyWithSecret>(`/api/teams/${id}/keys`, { ...newKey, allowFrom });
    const [open, narrow] = [await create(null), await create([here])];
    expect((await secure([here, "10.0.0.0/8"], people.owner, id)).status).toBe(200);
    expect((await ask(open.secret)).status).toBe(200);
    // Only the operator can shut themselves out: no page of theirs asks for it.
    const security = { allowFrom: ["10.1.2.3/8"], secondFactorDays: null };
    const { json } = await operator.send("PUT", `/api/admin/teams/${id}/security`, security);
    expect(json).toMatchObject({ security: { allowFrom: ["10.0.0.0/8"], secondFactorDays: null } });
    for (const { secret } of [open, narrow]) {
      const refused = await ask(secret);
      expect(refused.status).toBe(403);
      expect(refused.text).toContain("ip_not_allowed");
    }
    for (const path of ["", "/keys", "/limits"]) {
      const page = await people.member.send("GET", `/api/teams/${id}${path}`);
      expect(page.json, path).toMatchObject({ error: { code: "forbidden" } });
    }
    expect((await people.outsider.send("GET", `/api/teams/${id}`)).status).toBe(404);
    expect((await people.member.send("POST", `/api/teams/${id}/leave`)).status).toBe(200);
  });

  it("must be networks, and not lock out who sets them", async () => {
    expect((await secure(["10.0.0.0/8"])).json).toMatchObject({
      error: { code: "bad_request", field: "allowFrom", message: textLike(/127\.0\.0\.1/) },
    });
    expect((await secure(["here"])).json).toMatchObject({ error: { field: "allowFrom" } });
    expect((await people.owner.get<TeamPage>(`/api/teams/${team}`)).security.allowFrom).toBeNull();
  });
});

describe("a second factor that a team requires", () => {
  it("is asked of its members alone, after the time of grace", async () => {
    const id = await createTeam("Careful");
    const { link } = await people.owner.post<OneTimeLink>(`/api/teams/${id}/invites`, { role: "member" });
    await people.viewer.post("/api/team-invitation/accept", { token: tokenOf(link) });
    const secure = (secondFactorDays: number | null) =>
      operator.must("PUT", `/api/admin/teams/${id}/security`, { allowFrom: null, secondFactorDays });
    await secure(7);
    expect((await people.viewer.get<Me>("/api/me")).missingFactor).toMatchObject({
      of: "team",
      isDue: false,
    });
    await secure(0);
    expect((await people.viewer.get<Me>("/api/me")).missingFactor).toMatchObject({ isDue: true });
    expect((await people.viewer.send("GET", "/api/keys")).json).toMatchObject({
      error: { code: "factor_required" },
    });
    expect((await people.member.get<Me>("/api/me")).missingFactor).toBeNull();
    await secure(null);
    expect((await people.viewer.send("GET", "/api/keys")).status).toBe(200);
  });
});

describe("events of a team", () => {
  it("are published for what happens to it and its members", async () => {
    const published: ServiceEvent[] = [];
    const publish = vi
      .spyOn(dashboard.app.dashboard.events, "publish")
      .mockImplementation((event) => void published.push(event));
    const id = await createTeam("Told");
    await operator.must("PUT", `/api/admin/teams/${id}/members/${ids.member}`, { role: "member" });
    await people.owner.must("POST", `/api/teams/${id}/members/${ids.member}/role`, { role: "admin" });
    await people.member.must("POST", `/api/teams/${id}/leave`);
    await people.owner.must("PUT", `/api/teams/${id}`, { name: "Told", joinDomain: null });
    await operator.must("POST", `/api/admin/teams/${id}/suspend`);
    await operator.must("POST", `/api/admin/teams/${id}/resume`);
    await operator.must("DELETE", `/api/admin/teams/${id}`);
    await vi.waitFor(() => expect(published).toHaveLength(8));
    const ofMember = { team_id: id, account_id: ids.member };
    const ofTeam = { team_id: id, plan_id: "free" };
    expect(published).toEqual(
      expect.arrayContaining([
        { type: "team.created", data: ofTeam },
        { type: "team.member_joined", data: { ...ofMember, role: "member" } },
        { type: "team.member_changed", data: { ...ofMember, role: "admin" } },
        { type: "team.member_left", data: { ...ofMember, role: null } },
        { type: "team.changed", data: ofTeam },
        { type: "team.suspended", data: ofTeam },
        { type: "team.reactivated", data: ofTeam },
        { type: "team.deleted", data: { team_id: id } },
      ]),
    );
    publish.mockRestore();
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
    const playground = await people.member.send("POST", `/api/teams/${id}/playground`, question);
    expect(playground.status).toBe(200);
    const now = Date.now();
    const [from, to] = [now - 3_600_000, now + 3_600_000].map((time) => new Date(time).toISOString());
    const query = `?from=${from}&to=${to}&step=hour`;
    const { members } = await people.viewer.get<MemberUsageList>(`/api/teams/${id}/usage/members${query}`);
    expect(members.map(({ kind, email, requests }) => [kind, email, requests])).toEqual([
      ["member", "member@example.com", 3],
      ["member", "admin@example.com", 1],
      ["service keys", null, 1],
    ]);
    const report = await people.member.get<UsageReport>(`/api/teams/${id}/usage${query}`);
    expect(report.totals.requests).toBe(5);
    expect(report.byKey.map(({ name, requests }) => [name, requests])).toEqual([
      ["k", 2],
      ["Playground", 1],
      ["Keys of others", 2],
    ]);
    const all = await people.viewer.get<UsageReport>(`/api/teams/${id}/usage${query}`);
    expect(all.byKey).toHaveLength(4);
    expect(all.byKey.map(({ name }) => name)).toContain("Playground of member@example.com");
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

  it("is not possible with an invitation of someone who was removed or may not invite any more", async () => {
    const id = await createTeam("Former");
    await fillTeam(id);
    const invite = async () =>
      tokenOf((await people.admin.post<OneTimeLink>(`/api/teams/${id}/invites`, { role: "admin" })).link);
    const accept = (who: Browser, token: string) =>
      who.send("POST", "/api/team-invitation/accept", { token });
    const first = await invite();
    await people.owner.post(`/api/teams/${id}/members/${ids.admin}/role`, { role: "member" });
    expect((await accept(people.outsider, first)).status).toBe(404);
    await people.owner.post(`/api/teams/${id}/members/${ids.admin}/role`, { role: "admin" });
    const second = await invite();
    await people.owner.must("DELETE", `/api/teams/${id}/members/${ids.admin}`);
    expect((await accept(people.admin, second)).status).toBe(404);
    expect((await people.admin.send("GET", `/api/teams/${id}`)).status).toBe(404);
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

it("has people as members, not accounts that do not exist, nor other teams", async () => {
  const [id, other] = [await createTeam("People"), await createTeam("Other")];
  for (const member of ["acc_unknown", other]) {
    const answer = await operator.send("PUT", `/api/admin/teams/${id}/members/${member}`, { role: "member" });
    expect(answer.status).toBe(404);
  }
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
