/** SCIM: accounts and teams that an organisation's directory manages, as Okta and Entra ID do it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KeyWithSecret, Me } from "../../src/protocol/dashboard/api.js";
import type { AuditPage } from "../../src/protocol/dashboard/audit.js";
import type { AdminTeamDetail, TeamList } from "../../src/protocol/dashboard/teams.js";
import { postChat } from "../support/clients/post-chat.js";
import { ScimClient } from "../support/clients/scim.js";
import { eventually } from "../support/eventually.js";
import { textLike } from "../support/matchers.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { IdentityProvider, providerSetting, signInAt } from "../support/processes/identity-provider.js";

let provider: IdentityProvider;
let dashboard: TestDashboard;
let operator: Browser;
let scim: ScimClient;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  const [own] = JSON.parse(providerSetting(provider.issuer, { linksScim: true })) as object[];
  const [other] = JSON.parse(providerSetting(provider.issuer, { id: "other", name: "Other" })) as object[];
  const env = { SOTTO_OIDC_PROVIDERS: JSON.stringify([own, other]) };
  dashboard = await startDashboard({ env });
  await provider.serve(dashboard.url, { others: ["other"] });
  operator = await dashboard.setUp();
  const { plan } = await operator.get<Me>("/api/me");
  await operator.must("PUT", "/api/admin/plans/free", { ...plan, requestsPerMinute: 10_000 });
  scim = await ScimClient.of(dashboard);
});
afterAll(async () => {
  await dashboard.close();
  await provider.close();
});

let count = 0;
/** A user of SCIM, and the same person at the provider. */
async function newUser(more: object = {}): Promise<{ id: string; login: string; email: string }> {
  count += 1;
  const login = `person${count}`;
  const email = `${login}@example.com`;
  provider.people.set(login, { email, email_verified: true });
  return { id: await scim.create(email, { externalId: login, ...more }), login, email };
}
const signedIn = async (login: string): Promise<Browser> => {
  const browser = dashboard.browser();
  expect((await signInAt(browser, provider, login)).location).toBe("/app");
  return browser;
};
const detailOf = ({ json }: { json: Record<string, unknown> }) => json.detail;

describe("the address /scim/v2", () => {
  it("is for keys with the scope scim, and answers in SCIM's own shape", async () => {
    const without = await fetch(`${dashboard.url}/scim/v2/Users`, { headers: { cookie: "sotto_session=x" } });
    expect(without.status).toBe(401);
    expect(await without.json()).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: "401",
    });
    for (const scopes of [[], ["admin:write"]]) {
      const other = await ScimClient.of(dashboard, scopes);
      expect(await other.send("GET", "/Users")).toMatchObject({ status: 403, json: { status: "403" } });
    }
    const asked = await scim.send("GET", "/ServiceProviderConfig");
    expect(asked).toMatchObject({
      status: 200,
      type: "application/scim+json; charset=utf-8",
      json: { patch: { supported: true }, bulk: { supported: false }, filter: { maxResults: 100 } },
    });
    expect((await scim.send("GET", "/ResourceTypes")).json).toMatchObject({
      totalResults: 2,
      Resources: [
        { id: "User", endpoint: "/Users" },
        { id: "Group", endpoint: "/Groups" },
      ],
    });
    expect((await scim.send("GET", "/ResourceTypes/Group")).json).toMatchObject({ name: "Group" });
    const schema = "urn:ietf:params:scim:schemas:core:2.0:User";
    expect((await scim.send("GET", `/Schemas/${schema}`)).json).toMatchObject({ id: schema, name: "User" });
    for (const path of ["/Schemas/none", "/Nothing", "/Users/acc_none", "/Groups/team_none"])
      expect(await scim.send("GET", path), path).toMatchObject({ status: 404, json: { status: "404" } });
  });
});

describe("users", () => {
  it("are created, found by name and external id, renamed, and listed in pages", async () => {
    const { id, email, login } = await newUser();
    const created = await scim.send("GET", `/Users/${id}`);
    expect(created.json).toMatchObject({
      ...{ id, userName: email, externalId: login, active: true, meta: { resourceType: "User" } },
      emails: [{ value: email, primary: true }],
    });
    const find = async (filter: string) =>
      (await scim.send("GET", `/Users?filter=${encodeURIComponent(filter)}`)).json;
    for (const filter of [
      `userName eq "${email.toUpperCase()}"`,
      `externalId eq "${login}"`,
      `emails[type eq "work"].value eq "${email}"`,
      `id eq "${id}"`,
    ]) {
      expect(await find(filter), filter).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    }
    expect(await find('userName eq "nobody@example.com"')).toMatchObject({ totalResults: 0, Resources: [] });
    for (const filter of [
      `userName eq "${"a".repeat(1_000)}"`,
      'userName sw "a"',
      'title eq "a"',
      'userName eq "a" and active eq "true"',
    ]) {
      const refused = await scim.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect(refused, filter).toMatchObject({ status: 400, json: { scimType: "invalidFilter" } });
    }
    const again = await scim.send("POST", "/Users", { userName: email });
    expect(again).toMatchObject({
      status: 409,
      json: { scimType: "uniqueness", detail: textLike(/userName/) },
    });

    const put = {
      userName: `new-${email}`,
      emails: [{ value: `x-${email}` }, { value: `y-${email}`, primary: true }],
    };
    expect((await scim.send("PUT", `/Users/${id}`, put)).json).toMatchObject({
      ...{ userName: put.userName, externalId: login, active: true, emails: [{ value: `y-${email}` }] },
    });
    const patched = await scim.patch(
      `/Users/${id}`,
      { op: "Replace", path: 'emails[type eq "work"].value', value: email },
      { op: "Add", path: "externalId", value: "another" },
      { op: "Replace", path: "displayName", value: "Ada" },
      { op: "replace", value: { "name.givenName": "Ada", userName: email } },
    );
    expect(patched.json).toMatchObject({
      userName: email,
      externalId: "another",
      emails: [{ value: email }],
    });
    expect(patched.json).not.toHaveProperty("displayName");

    await newUser();
    const page = (await scim.send("GET", "/Users?startIndex=2&count=1")).json;
    expect(page).toMatchObject({ startIndex: 2, itemsPerPage: 1 });
    expect(Number(page.totalResults)).toBeGreaterThan(1);
    expect((await scim.send("GET", "/Users?count=0")).json).toMatchObject({ itemsPerPage: 0, Resources: [] });
  });

  it("are refused with the field that is wrong", async () => {
    const { id } = await newUser();
    for (const body of [{}, { userName: "no address" }, { userName: "" }, { userName: 5 }])
      expect(await scim.send("POST", "/Users", body), JSON.stringify(body)).toMatchObject({
        ...{ status: 400, json: { scimType: "invalidValue" } },
      });
    expect(await scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: "maybe" })).toMatchObject(
      {
        ...{ status: 400, json: { detail: textLike(/active/) } },
      },
    );
    expect(await scim.patch(`/Users/${id}`, { op: "swap" })).toMatchObject({
      ...{ status: 400, json: { scimType: "invalidSyntax" } },
    });
  });

  it("are never an account with a password, whatever its address", async () => {
    const browser = await dashboard.signUp("grace@example.com");
    const { id } = (await browser.get<Me>("/api/me")).account;
    const refused = await scim.send("POST", "/Users", { userName: "grace@example.com" });
    expect(refused).toMatchObject({ status: 409, json: { scimType: "uniqueness" } });
    expect(detailOf(refused)).toMatch(/linked/);
    expect((await scim.send("GET", `/Users/${id}`)).status).toBe(404);
    expect((await scim.patch(`/Users/${id}`, { op: "replace", value: { active: false } })).status).toBe(404);
    expect((await scim.send("DELETE", `/Users/${id}`)).status).toBe(404);

    // Once its owner has linked it, it is one.
    provider.people.set("grace", { email: "grace@example.com", email_verified: true });
    const { url } = await browser.post<{ url: string }>("/api/me/identities", { provider: "test" });
    const back = new URL(await provider.visit(url, "grace"));
    await browser.send("GET", back.pathname + back.search);
    const found = await scim.send(
      "GET",
      `/Users?filter=${encodeURIComponent('userName eq "grace@example.com"')}`,
    );
    expect(found.json).toMatchObject({ Resources: [{ id }] });
  });

  it("sign in with the provider that belongs to SCIM, and with no other", async () => {
    const { id, login, email } = await newUser();
    const stranger = dashboard.browser();
    const elsewhere = await signInAt(stranger, provider, login, { path: "/sign-in/oidc/other" });
    expect(elsewhere.location).toBe("/sign-in?problem=address_taken");
    // By the external id, whatever the address is at the provider.
    provider.people.set(login, { email: "changed@example.com", email_verified: true });
    const browser = await signedIn(login);
    expect((await browser.get<Me>("/api/me")).account).toMatchObject({ id, email });

    const byAddress = await newUser({ externalId: "something else" });
    expect((await (await signedIn(byAddress.login)).get<Me>("/api/me")).account.id).toBe(byAddress.id);
    const unverified = await newUser({ externalId: "yet another" });
    provider.people.set(unverified.login, { email: unverified.email, email_verified: false });
    expect((await signInAt(dashboard.browser(), provider, unverified.login)).location).toBe(
      "/sign-in?problem=address_taken",
    );
  });
});

describe("a deprovisioned person", () => {
  const body = { model: "omega", stream: true, messages: [{ role: "user", content: "Hi" }] };

  /** Someone with a session, a key of their own and one in a team, and a running stream of each. */
  async function atWork() {
    const user = await newUser();
    const browser = await signedIn(user.login);
    const newKey = { name: "k", models: null, expiresInDays: null };
    const own = await browser.post<KeyWithSecret>("/api/keys", newKey);
    const group = await scim.send("POST", "/Groups", {
      displayName: `Team of ${user.login}`,
      members: [{ value: user.id }],
    });
    const ofTeam = await browser.post<KeyWithSecret>(`/api/teams/${String(group.json.id)}/keys`, newKey);
    dashboard.engine.script = () => ({ fragments: ["one ", "two ", "three "] });
    dashboard.engine.hold();
    const byKey = (secret: string) => postChat(dashboard.url, secret, body);
    const opening = [byKey(own.secret), byKey(ofTeam.secret), browser.open("POST", "/api/playground", body)];
    await eventually(() => dashboard.engine.active === 3);
    dashboard.engine.release(3);
    const streams = await Promise.all(opening);
    return { ...user, browser, streams, byKey, secrets: [own.secret, ofTeam.secret] };
  }

  it.each<[string, (id: string) => Promise<{ status: number }>, number]>([
    [
      "that Entra ID deactivates",
      (id) => scim.patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" }),
      200,
    ],
    [
      "that Okta deactivates",
      (id) => scim.patch(`/Users/${id}`, { op: "replace", value: { active: false } }),
      200,
    ],
    ["that is deleted over SCIM", (id) => scim.send("DELETE", `/Users/${id}`), 204],
    ["that an admin suspends", (id) => operator.send("POST", `/api/admin/accounts/${id}/suspend`), 200],
  ])("%s has no session, no stream and no key", async (_how, end, status) => {
    const { id, login, browser, streams, byKey, secrets } = await atWork();
    expect((await end(id)).status).toBe(status);
    // The engine is held: what ends now was cut.
    for (const stream of streams) {
      expect(stream.status).toBe(200);
      expect(await stream.text()).toContain('"code":"invalid_api_key"');
    }
    dashboard.engine.release();
    expect(dashboard.engine.active).toBe(0);
    expect((await browser.send("GET", "/api/me")).status).toBe(401);
    for (const secret of secrets) expect((await byKey(secret)).status).toBe(401);
    if (status !== 204)
      expect((await signInAt(dashboard.browser(), provider, login)).location).toBe(
        "/sign-in?problem=suspended",
      );
  });

  it("can be let in again, unless an admin has suspended them", async () => {
    const { id, login } = await newUser({ active: false });
    const active = (value: boolean | string) =>
      scim.patch(`/Users/${id}`, { op: "replace", path: "active", value });
    expect((await scim.send("GET", `/Users/${id}`)).json.active).toBe(false);
    expect((await active("True")).json.active).toBe(true);
    await signedIn(login);
    await operator.post(`/api/admin/accounts/${id}/suspend`);
    expect((await active(true)).json.active).toBe(false);
    const put = { userName: "x@example.com", active: true };
    expect((await scim.send("PUT", `/Users/${id}`, put)).json.active).toBe(false);
    const { entries } = await operator.get<AuditPage>(`/api/admin/audit?account=${id}`);
    expect(entries.map(({ action }) => action)).toContain("suspended account");
  });

  it("who is the only owner of a team is suspended, and the answer says why the account remains", async () => {
    const { id, login, email } = await newUser();
    await signedIn(login);
    await operator.post("/api/admin/teams", { name: "Theirs", planId: "free", ownerEmail: email });
    const refused = await scim.send("DELETE", `/Users/${id}`);
    expect(refused.status).toBe(409);
    expect(detailOf(refused)).toMatch(/only owner of the team 'Theirs'/);
    expect((await scim.send("GET", `/Users/${id}`)).json.active).toBe(false);
  });
});

describe("groups", () => {
  const membersOf = async (group: string) =>
    ((await scim.send("GET", `/Groups/${group}`)).json.members as { value: string }[])
      .map(({ value }) => value)
      .sort();

  it("are teams, whose members Okta and Entra ID add and remove", async () => {
    const users = [await newUser(), await newUser(), await newUser()];
    const [a = "", b = "", c = ""] = users.map(({ id }) => id).sort();
    const created = await scim.send("POST", "/Groups", { displayName: "Research", externalId: "g1" });
    const id = String(created.json.id);
    expect(created).toMatchObject({ status: 201, location: `${dashboard.url}/scim/v2/Groups/${id}` });
    const at = `/Groups/${id}`;
    await scim.patch(at, { op: "Add", path: "members", value: [{ value: a }, { value: b }] });
    expect(await membersOf(id)).toEqual([a, b]);
    await scim.patch(at, { op: "Remove", path: "members", value: [{ value: a }] });
    expect(await membersOf(id)).toEqual([b]);
    await scim.patch(at, { op: "add", value: { members: [{ value: c }] } });
    await scim.patch(at, { op: "remove", path: `members[value eq "${b}"]` });
    expect(await membersOf(id)).toEqual([c]);
    await scim.patch(at, { op: "replace", path: "members", value: [{ value: a }, { value: b }] });
    expect(await membersOf(id)).toEqual([a, b]);
    await scim.patch(at, { op: "replace", value: { id, displayName: "Search" } });
    expect(
      (await scim.send("PUT", at, { displayName: "Search", members: [{ value: c }] })).json,
    ).toMatchObject({
      ...{ displayName: "Search", externalId: "g1", members: [{ value: c }] },
    });
    expect(await scim.patch(at, { op: "remove", path: 'members[type eq "x"]' })).toMatchObject({
      ...{ status: 400, json: { scimType: "invalidPath" } },
    });
    expect(await scim.patch(at, { op: "add", path: "members", value: [{ value: "acc_no" }] })).toMatchObject({
      ...{ status: 400, json: { scimType: "invalidValue" } },
    });
    for (const filter of ['displayName eq "Search"', 'externalId eq "g1"', `id eq "${id}"`]) {
      const found = await scim.send(
        "GET",
        `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`,
      );
      expect(found.json, filter).toMatchObject({ totalResults: 1, Resources: [{ id }] });
      expect((found.json.Resources as object[])[0]).not.toHaveProperty("members");
    }
    const browser = await signedIn(users.find((user) => user.id === c)?.login ?? "");
    expect((await browser.get<TeamList>("/api/teams")).teams).toMatchObject([{ id, role: "member" }]);
    expect((await scim.send("DELETE", at)).status).toBe(204);
    expect((await browser.get<TeamList>("/api/teams")).teams).toEqual([]);
  });

  it("are changed by all operations of a request, or by none", async () => {
    const [first, second] = [await newUser(), await newUser()];
    const created = await scim.send("POST", "/Groups", { displayName: "Whole" });
    const at = `/Groups/${String(created.json.id)}`;
    const refused = await scim.patch(
      at,
      { op: "replace", path: "displayName", value: "Half" },
      { op: "add", path: "members", value: [{ value: first.id }] },
      { op: "add", path: "members", value: [{ value: "acc_none" }] },
    );
    expect(refused).toMatchObject({ status: 400, json: { scimType: "invalidValue" } });
    expect((await scim.send("GET", at)).json).toMatchObject({ displayName: "Whole", members: [] });

    const taken = await scim.patch(
      `/Users/${first.id}`,
      { op: "replace", path: "emails", value: [{ value: "moved@example.com", primary: true }] },
      { op: "replace", path: "userName", value: second.email },
    );
    expect(taken).toMatchObject({ status: 409, json: { scimType: "uniqueness" } });
    expect((await scim.send("GET", `/Users/${first.id}`)).json).toMatchObject({
      emails: [{ value: first.email }],
    });
    const { entries } = await operator.get<AuditPage>("/api/admin/audit");
    const about = entries.filter(({ target }) => ["Whole", "Half", first.email].includes(target));
    expect(about.map(({ action }) => action)).toEqual(["created team", "created account"]);
    expect(about[0]?.actorKey).toMatch(/^scim \(….{4}\)$/);
  });

  it("leave members alone that are no users of SCIM, and keep the last owner", async () => {
    const { id: user } = await newUser();
    await dashboard.signUp("linus@example.com");
    const body = { name: "Kernel", planId: "free", ownerEmail: "linus@example.com" };
    const { team } = await operator.post<AdminTeamDetail>("/api/admin/teams", body);
    expect(await membersOf(team.id)).toEqual([]);
    await scim.send("PUT", `/Groups/${team.id}`, { displayName: "Kernel", members: [{ value: user }] });
    await scim.patch(`/Groups/${team.id}`, { op: "remove", path: "members" });
    const { people } = await operator.get<AdminTeamDetail>(`/api/admin/teams/${team.id}`);
    expect(people.map(({ email, role }) => `${email} ${role}`)).toEqual(["linus@example.com owner"]);
  });
});
