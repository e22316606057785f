/** Signing in with an identity provider: against a real one, in this process. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { tokenHash } from "../../src/core/sign-in/secret-token.js";
import { StoreUnavailable } from "../../src/core/store.js";
import type { KeyWithSecret, Me, OneTimeLink, SignedOut, Site } from "../../src/protocol/dashboard/api.js";
import type { AdminTeamDetail, TeamList } from "../../src/protocol/dashboard/teams.js";
import type { IdentitiesView, PendingJoin, ProviderList } from "../../src/protocol/identity-provider.js";
import { postChat } from "../support/clients/post-chat.js";
import { addPhoneApp } from "../support/clients/factors.js";
import { SoftwarePasskey } from "../support/clients/software-passkey.js";
import { textWith } from "../support/matchers.js";
import {
  IdentityProvider,
  providerSetting,
  roundTrip,
  signInAt,
} from "../support/processes/identity-provider.js";
import {
  type Browser,
  password,
  startDashboard,
  tokenOf,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

let provider: IdentityProvider;
let dashboard: TestDashboard;
let operator: Browser;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  const groups = [
    { group: "staff", planId: "free" },
    { group: "paying", planId: "pro" },
    { group: "root", isAdmin: true },
  ];
  const more = { groupClaim: "groups", scopes: "openid email groups", groups, endsKeys: true };
  dashboard = await startDashboard({ env: { SOTTO_OIDC_PROVIDERS: providerSetting(provider.issuer, more) } });
  await provider.serve(dashboard.url, { others: ["teams"] });
  operator = await dashboard.setUp();
  const { plan } = await operator.get<Me>("/api/me");
  await operator.must("PUT", "/api/admin/plans/pro", { ...plan, name: "Pro" });
});
afterAll(async () => {
  await dashboard.close();
  await provider.close();
});

let count = 0;
/** Someone at the provider whom the service does not know. */
function newPerson(claims: Record<string, unknown> = {}): string {
  count += 1;
  const login = `person${count}`;
  provider.people.set(login, { email: `${login}@example.com`, email_verified: true, ...claims });
  return login;
}
const meOf = async (browser: Browser) => (await browser.get<Me>("/api/me")).account;
const identitiesOf = (browser: Browser) => browser.get<IdentitiesView>("/api/me/identities");

describe("signing in with a provider", () => {
  let browser: Browser;
  beforeEach(() => {
    browser = dashboard.browser();
  });

  it("creates an account once, and signs in to the same one whatever its address is later", async () => {
    const login = newPerson();
    expect(await signInAt(browser, provider, login)).toMatchObject({ status: 303, location: "/app" });
    const first = await meOf(browser);
    expect(first).toMatchObject({ email: `${login}@example.com`, isEmailVerified: true, role: "user" });
    provider.people.set(login, { email: "another@example.com", email_verified: true });
    const later = dashboard.browser();
    const path = "/sign-in/oidc/test?next=/app/keys";
    expect((await signInAt(later, provider, login, { path })).location).toBe("/app/keys");
    expect((await meOf(later)).id).toBe(first.id);
    expect((await dashboard.browser().get<Site>("/api/site")).providers).toEqual([
      { id: "test", name: "Test login", signsUp: true },
    ]);
  });

  it("refuses an answer twice, one for another browser, and one without its cookie", async () => {
    const back = await roundTrip(browser, provider, newPerson());
    const stranger = dashboard.browser();
    const lost = { location: "/sign-in?problem=round_lost" };
    expect(Object.fromEntries((await stranger.send("GET", back)).headers)).toMatchObject(lost);
    await roundTrip(stranger, provider, newPerson());
    expect(Object.fromEntries((await stranger.send("GET", back)).headers)).toMatchObject(lost);
    const cookies = new Map(browser.cookies);
    expect((await browser.send("GET", back)).headers.get("location")).toBe("/app");
    const again = dashboard.browser();
    for (const [name, value] of cookies) again.cookies.set(name, value);
    expect(Object.fromEntries((await again.send("GET", back)).headers)).toMatchObject(lost);
    expect((await again.get<Site>("/api/site")).me).toBeNull();
  });

  it("says so when the person cancels at the provider, or it does not exist", async () => {
    expect((await signInAt(browser, provider, null)).location).toBe("/sign-in?problem=refused");
    const unknown = await browser.send("GET", "/sign-in/oidc/nobody");
    expect(unknown.headers.get("location")).toBe("/sign-in?problem=unknown_provider");
  });

  it("gives what groups give, and takes it away with them, but never the last admin", async () => {
    const login = newPerson({ groups: ["paying", "root"] });
    await signInAt(browser, provider, login);
    expect(await browser.get<Me>("/api/me")).toMatchObject({
      account: { role: "admin" },
      plan: { id: "pro" },
    });
    provider.people.set(login, { email: `${login}@example.com`, email_verified: true, groups: [] });
    await signInAt(browser, provider, login);
    expect(await browser.get<Me>("/api/me")).toMatchObject({
      account: { role: "user" },
      plan: { id: "free" },
    });
    const { url } = await operator.post<{ url: string }>("/api/me/identities", { provider: "test" });
    const boss = newPerson();
    const back = new URL(await provider.visit(url, boss));
    expect((await operator.send("GET", back.pathname + back.search)).headers.get("location")).toBe(
      "/app/account",
    );
    await signInAt(browser, provider, boss);
    expect((await meOf(browser)).role).toBe("admin");
  });
});

describe("groups that give a team", () => {
  const providerAt = "/api/admin/providers/teams";
  let team: string;
  let browser: Browser;
  const claim = (login: string, groups: string[]) =>
    provider.people.set(login, { email: `${login}@example.com`, email_verified: true, groups });
  const enter = (login: string) => signInAt(browser, provider, login, { path: "/sign-in/oidc/teams" });
  const rolesOf = async () =>
    (await browser.get<TeamList>("/api/teams")).teams.map(({ name, role }) => `${name}: ${role}`);
  beforeAll(async () => {
    const body = { name: "Research", planId: "free", ownerEmail: "operator@example.com" };
    team = (await operator.post<AdminTeamDetail>("/api/admin/teams", body)).team.id;
    const [setting] = JSON.parse(providerSetting(provider.issuer)) as [Record<string, unknown>];
    const { id: _, ...own } = setting;
    const groups = [
      { group: "readers", team: { id: team, role: "viewer" } },
      { group: "leads", team: { id: team, role: "admin" } },
      { group: "gone", team: { id: "team_gone", role: "member" } },
    ];
    const scopes = "openid email groups";
    await operator.must("PUT", providerAt, { ...own, scopes, groupClaim: "groups", groups });
  });
  beforeEach(() => {
    browser = dashboard.browser();
  });

  it("make a member in the role that may do most, change it, and end it, at each sign-in", async () => {
    const login = newPerson({ groups: ["readers", "leads", "gone"] });
    await enter(login);
    expect(await rolesOf()).toEqual(["Research: admin"]);
    const key = { name: "k", models: null, expiresInDays: null };
    const { key: made } = await browser.post<KeyWithSecret>(`/api/teams/${team}/keys`, key);
    claim(login, ["readers"]);
    await enter(login);
    expect(await rolesOf()).toEqual(["Research: viewer"]);
    claim(login, []);
    await enter(login);
    expect(await rolesOf()).toEqual([]);
    expect((await dashboard.app.dashboard.store.findKey(made.id))?.revokedAt).not.toBeNull();
  });

  it("leave one alone who was invited", async () => {
    const login = newPerson({ groups: [] });
    await enter(login);
    const { id } = await meOf(browser);
    await operator.must("PUT", `/api/admin/teams/${team}/members/${id}`, { role: "member" });
    claim(login, ["leads"]);
    await enter(login);
    expect(await rolesOf()).toEqual(["Research: member"]);
    claim(login, []);
    await enter(login);
    expect(await rolesOf()).toEqual(["Research: member"]);
  });

  it("leave the last owner of a team in it", async () => {
    const body = { name: "Other", planId: "free", ownerEmail: "operator@example.com" };
    const other = (await operator.post<AdminTeamDetail>("/api/admin/teams", body)).team.id;
    const saved = (await operator.get<ProviderList>("/api/admin/providers")).providers.find(
      ({ id }) => id === "teams",
    );
    const groups = [{ group: "boss", team: { id: other, role: "owner" } }];
    await operator.must("PUT", providerAt, { ...saved, groups });
    const login = newPerson({ groups: ["boss"] });
    await enter(login);
    await operator.must("POST", `/api/teams/${other}/leave`);
    claim(login, []);
    await enter(login);
    expect(await rolesOf()).toEqual(["Other: owner"]);
  });
});

describe("an account with the address", () => {
  it("is joined with its password, once", async () => {
    const login = newPerson();
    const email = `${login}@example.com`;
    const owner = await dashboard.signUp(email);
    const browser = dashboard.browser();
    expect((await signInAt(browser, provider, login)).location).toBe("/sign-in/join");
    expect(await browser.get<PendingJoin>("/api/sign-in/join")).toEqual({
      join: { email, provider: "Test login" },
    });
    expect((await browser.get<Site>("/api/site")).me).toBeNull();
    expect((await browser.send("POST", "/api/sign-in/join", { password: "a wrong one" })).status).toBe(400);
    expect((await identitiesOf(owner)).identities).toEqual([]);
    await browser.post("/api/sign-in/join", { password });
    expect((await meOf(browser)).id).toBe((await meOf(owner)).id);
    const later = dashboard.browser();
    expect((await signInAt(later, provider, login)).location).toBe("/app");
    expect((await meOf(later)).id).toBe((await meOf(owner)).id);
  });

  it("is not joined with its password alone where it has a second factor", async () => {
    const login = newPerson();
    const owner = await dashboard.signUp(`${login}@example.com`);
    await addPhoneApp(owner, systemClock);
    const browser = dashboard.browser();
    expect((await signInAt(browser, provider, login)).location).toBe("/sign-in/join");
    const { status, text } = await browser.send("POST", "/api/sign-in/join", { password });
    expect({ status, text }).toMatchObject({ status: 403, text: textWith("second factor") });
    expect((await identitiesOf(owner)).identities).toEqual([]);
    expect((await browser.get<Site>("/api/site")).me).toBeNull();
  });

  it("is not opened by the address where it has no password, unless the provider verified it", async () => {
    const create = (email: string) =>
      dashboard.app.store.createAccount({ email, passwordHash: null, role: "user", planId: "free" });
    const forger = newPerson({ email_verified: false });
    await create(`${forger}@example.com`);
    expect((await signInAt(dashboard.browser(), provider, forger)).location).toBe(
      "/sign-in?problem=address_taken",
    );
    const owner = newPerson();
    const { id } = await create(`${owner}@example.com`);
    const browser = dashboard.browser();
    await signInAt(browser, provider, owner);
    expect((await meOf(browser)).id).toBe(id);
    // It can be signed in to now, so the address alone opens it no more.
    provider.people.set("second", { email: `${owner}@example.com`, email_verified: true });
    expect((await signInAt(dashboard.browser(), provider, "second")).location).toBe(
      "/sign-in?problem=address_taken",
    );
  });

  it("is not opened by the address where a passkey signs in to it", async () => {
    const login = newPerson();
    const { id } = await dashboard.app.store.createAccount({
      ...{ email: `${login}@example.com`, passwordHash: null, role: "user", planId: "free" },
    });
    const owner = dashboard.browser();
    const { path } = await dashboard.app.dashboard.links.signIn(id);
    await owner.post("/api/sign-in/link", { token: tokenOf(path) });
    const passkey = new SoftwarePasskey(dashboard.url.replace("127.0.0.1", "localhost"));
    const options = await owner.post<{ challenge: string }>("/api/me/passkeys/options");
    await owner.post("/api/me/passkeys", { name: "Laptop", passkey: passkey.create(options) });
    expect((await signInAt(dashboard.browser(), provider, login)).location).toBe(
      "/sign-in?problem=address_taken",
    );
  });

  it("is not shared with whoever signed up with it before, once its owner has reset the password", async () => {
    const squatter = await dashboard.signUp("victim@example.com");
    const { id } = await meOf(squatter);
    const login = newPerson();
    const { url } = await squatter.post<{ url: string }>("/api/me/identities", { provider: "test" });
    const back = new URL(await provider.visit(url, login));
    await squatter.send("GET", back.pathname + back.search);
    expect((await identitiesOf(squatter)).identities).toHaveLength(1);
    const { path } = await dashboard.app.dashboard.links.reset(id);
    await dashboard.browser().post("/api/reset", { token: tokenOf(path), password: "another long one" });
    const later = dashboard.browser();
    await signInAt(later, provider, login);
    expect((await meOf(later)).id).not.toBe(id);
  });

  it("is linked and unlinked by a session that has proved lately whose it is", async () => {
    const browser = await dashboard.signUp("lately@example.com");
    const { sessions } = dashboard.app.store;
    const [session] = await sessions.list((await meOf(browser)).id, 1);
    await sessions.noteConfirmed(session?.hash ?? new Uint8Array(), new Date(Date.now() - 11 * 60_000));
    const refused = { error: { code: "confirmation_required" } };
    expect((await browser.send("POST", "/api/me/identities", { provider: "test" })).json).toMatchObject(
      refused,
    );
    expect((await browser.send("DELETE", "/api/me/identities/x")).json).toMatchObject(refused);
  });

  it("keeps a way in: the last provider of an account without a password stays", async () => {
    const browser = dashboard.browser();
    await signInAt(browser, provider, newPerson());
    const { hasPassword, identities } = await identitiesOf(browser);
    expect(hasPassword).toBe(false);
    const path = `/api/me/identities/${identities[0]?.id ?? ""}`;
    expect((await browser.send("DELETE", path)).json).toMatchObject({ error: { code: "conflict" } });
    expect((await dashboard.browser().send("DELETE", path)).status).toBe(401);
    expect((await operator.send("DELETE", path)).status).toBe(404);
    await browser.post("/api/me/password", { next: password });
    await browser.must("DELETE", path);
    expect((await identitiesOf(browser)).identities).toEqual([]);
  });

  it("is not linked for whoever else signs in to it meanwhile, nor twice", async () => {
    const ada = await dashboard.signUp("ada@example.com");
    const bob = await dashboard.signUp("bob@example.com");
    const { url } = await ada.post<{ url: string }>("/api/me/identities", { provider: "test" });
    const login = newPerson();
    const cookies = new Map<string, string>();
    const back = new URL(await provider.visit(url, login, cookies));
    for (const [name, value] of ada.cookies) if (name === "sotto_sign_in") bob.cookies.set(name, value);
    const answer = await bob.send("GET", back.pathname + back.search);
    expect(answer.headers.get("location")).toBe("/app/account?problem=round_lost");
    await signInAt(dashboard.browser(), provider, login);
    const second = await ada.post<{ url: string }>("/api/me/identities", { provider: "test" });
    const again = new URL(await provider.visit(second.url, login, cookies));
    expect((await ada.send("GET", again.pathname + again.search)).headers.get("location")).toBe(
      "/app/account?problem=linked_elsewhere",
    );
  });
});

describe("someone who is asked again who they are", () => {
  const path = "/sign-in/oidc/test?confirm";

  /** Signed in, and not asked for more than ten minutes. */
  async function lateVisitor(login: string): Promise<Browser> {
    const browser = dashboard.browser();
    await signInAt(browser, provider, login);
    const hash = tokenHash(browser.cookies.get("sotto_session") ?? "");
    if (hash === null) throw new Error("no session");
    await dashboard.app.store.sessions.noteConfirmed(hash, new Date(0));
    return browser;
  }
  const setPassword = (browser: Browser) => browser.send("POST", "/api/me/password", { next: password });

  it("proves it at the provider, in the same session", async () => {
    const login = newPerson();
    const browser = await lateVisitor(login);
    const cookie = browser.cookies.get("sotto_session");
    expect((await setPassword(browser)).json).toMatchObject({ error: { code: "confirmation_required" } });
    expect((await browser.send("POST", "/api/me/confirm", { password: "" })).status).toBe(400);
    expect((await signInAt(browser, provider, login, { path })).location).toBe("/sign-in/confirmed");
    expect(browser.cookies.get("sotto_session")).toBe(cookie);
    expect((await setPassword(browser)).status).toBe(200);
  });

  it("is not confirmed by someone else, by cancelling, without a session, or by signing in without being asked", async () => {
    const login = newPerson();
    const browser = await lateVisitor(login);
    const other = newPerson();
    await signInAt(dashboard.browser(), provider, other);
    for (const [who, problem] of [
      [other, "someone_else"],
      [newPerson(), "someone_else"],
      [null, "refused"],
    ] as const) {
      const { location } = await signInAt(browser, provider, who, { path });
      expect(location).toBe(`/sign-in/confirmed?problem=${problem}`);
    }
    const nobody = await dashboard.browser().send("GET", path);
    expect(nobody.headers.get("location")).toBe("/sign-in/confirmed?problem=round_lost");
    expect((await setPassword(browser)).json).toMatchObject({ error: { code: "confirmation_required" } });
    expect((await meOf(browser)).email).toBe(`${login}@example.com`);
  });
});

describe("an invitation", () => {
  const invite = async (email: string | null) => {
    const body = email === null ? {} : { email };
    const { link } = await operator.post<OneTimeLink>("/api/admin/invites", body);
    return new URLSearchParams(new URL(link).hash.slice(1)).get("invite") ?? "";
  };
  /** From the page that the invitation leads to. */
  const accept = async (browser: Browser, token: string, login: string) => {
    const body = { provider: "test", invite: token };
    const { url } = await browser.post<{ url: string }>("/api/sign-up/provider", body);
    const back = new URL(await provider.visit(url, login));
    return (await browser.send("GET", back.pathname + back.search)).headers.get("location");
  };

  it("is accepted through a provider, once", async () => {
    const token = await invite(null);
    const browser = dashboard.browser();
    expect(await accept(browser, token, newPerson())).toBe("/app");
    const again = { provider: "test", invite: token };
    expect((await dashboard.browser().send("POST", "/api/sign-up/provider", again)).status).toBe(404);
  });

  it("for another address creates nothing, and can still be used", async () => {
    const login = newPerson();
    const token = await invite(`${login}@example.com`);
    const stranger = newPerson();
    expect(await accept(dashboard.browser(), token, stranger)).toBe(
      "/sign-in?problem=invitation_for_another",
    );
    expect(await dashboard.app.store.findAccountByEmail(`${stranger}@example.com`)).toBeNull();
    expect(await accept(dashboard.browser(), token, login)).toBe("/app");
  });
});

describe("signing out", () => {
  const logout = (token: string) =>
    fetch(`${dashboard.url}/sign-in/oidc/test/back-channel-logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    });

  it("ends the session at the provider, too", async () => {
    const browser = dashboard.browser();
    const cookies = new Map<string, string>();
    await signInAt(browser, provider, newPerson(), { cookies });
    const { next } = await browser.post<SignedOut>("/api/sign-out");
    expect(await provider.visit(next ?? "", "anyone", cookies)).toBe(`${dashboard.url}/sign-in`);
    expect((await browser.get<Site>("/api/site")).me).toBeNull();
    const byPassword = dashboard.browser();
    await byPassword.post("/api/sign-in", { email: "operator@example.com", password });
    expect(await byPassword.post<SignedOut>("/api/sign-out")).toEqual({ next: null });
  });

  it("at the provider ends sessions, keys and streams, by a token that works once", async () => {
    const login = newPerson();
    const browser = dashboard.browser();
    await signInAt(browser, provider, login);
    const { secret } = await browser.post<KeyWithSecret>("/api/keys", {
      name: "laptop",
      models: null,
      expiresInDays: null,
    });
    const team = await operator.post<{ team: { id: string } }>("/api/admin/teams", {
      ...{ name: "Office", planId: "free", ownerEmail: `${login}@example.com` },
    });
    const inTeam = await browser.post<KeyWithSecret>(`/api/teams/${team.team.id}/keys`, {
      ...{ name: "office", models: null, expiresInDays: null },
    });
    dashboard.engine.script = () => ({ fragments: ["one ", "two ", "three "] });
    dashboard.engine.hold();
    dashboard.engine.release(1);
    const stream = await postChat(dashboard.url, secret, { stream: true });
    expect(stream.status).toBe(200);
    const token = await provider.logoutToken({ sub: login });
    expect((await logout(token)).status).toBe(200);
    expect(await stream.text()).toContain('"code":"invalid_api_key"');
    dashboard.engine.release();
    expect((await browser.get<Site>("/api/site")).me).toBeNull();
    const headers = { authorization: `Bearer ${inTeam.secret}` };
    expect((await fetch(`${dashboard.url}/v1/models`, { headers })).status).toBe(401);
    expect((await logout(token)).status).toBe(400);
  });

  it("may be sent again by the provider when the store failed", async () => {
    const login = newPerson();
    const browser = dashboard.browser();
    await signInAt(browser, provider, login);
    const { singleSignOn } = dashboard.app.store;
    const failing = vi.spyOn(singleSignOn, "findAccount").mockRejectedValueOnce(new StoreUnavailable(null));
    const token = await provider.logoutToken({ sub: login });
    expect((await logout(token)).status).toBe(503);
    expect(failing).toHaveBeenCalledOnce();
    expect((await logout(token)).status).toBe(200);
    expect((await browser.get<Site>("/api/site")).me).toBeNull();
  });

  it("is refused for tokens that are no logout tokens of this provider", async () => {
    const login = newPerson();
    const browser = dashboard.browser();
    await signInAt(browser, provider, login);
    const seconds = Math.floor(Date.now() / 1_000);
    const forged = [
      { sub: login, aud: "another" },
      { sub: login, iss: "https://evil.example" },
      { sub: login, events: {} },
      { sub: login, events: undefined },
      { sub: login, nonce: "n" },
      { sub: login, jti: undefined },
      { sub: login, exp: seconds - 60 },
      { sub: login, iat: seconds - 3_600 },
      {},
    ];
    for (const claims of forged) expect((await logout(await provider.logoutToken(claims))).status).toBe(400);
    const [head = "", body = ""] = (await provider.logoutToken({ sub: login })).split(".");
    expect((await logout(`${head}.${body}.AAAA`)).status).toBe(400);
    expect((await logout("")).status).toBe(400);
    expect((await browser.get<Site>("/api/site")).me).not.toBeNull();
  });
});
