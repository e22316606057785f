/** Identity providers that are forged, down, slow, or somewhere they must not be. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Me, Site } from "../../src/protocol/dashboard/api.js";
import type { ProviderTest, ProviderView } from "../../src/protocol/identity-provider.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import {
  clientId,
  clientSecret,
  type Fault,
  IdentityProvider,
  providerSetting,
  roundTrip,
  signInAt,
} from "../support/processes/identity-provider.js";

let provider: IdentityProvider;
let dashboard: TestDashboard;
let operator: Browser;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  dashboard = await startDashboard({
    env: { SOTTO_OIDC_PROVIDERS: providerSetting(provider.issuer) },
    providerTimeoutMs: 300,
  });
  await provider.serve(dashboard.url);
  provider.people.set("ada", { email: "ada@example.com", email_verified: true });
  operator = await dashboard.setUp();
});
afterEach(() => {
  provider.fault = null;
});
afterAll(async () => {
  await dashboard.close();
  await provider.close();
});

const json = (response: ServerResponse, value: object): boolean => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  return true;
};
const at =
  (path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): Fault =>
  (request, response) => {
    if ((request.url ?? "").split("?")[0] !== path) return false;
    answer(request, response);
    return true;
  };

/** What becomes of a sign-in whose tokens are these. */
async function answeredWith(token: (nonce: string) => Promise<string>): Promise<string> {
  const browser = dashboard.browser();
  const { headers } = await browser.send("GET", "/sign-in/oidc/test");
  const sent = new URL(headers.get("location") ?? "");
  const back = new URL(await provider.visit(sent.href, "ada"));
  const idToken = await token(sent.searchParams.get("nonce") ?? "");
  provider.fault = at("/token", (_request, response) =>
    json(response, { access_token: "none", token_type: "bearer", id_token: idToken }),
  );
  const answer = await browser.send("GET", back.pathname + back.search);
  provider.fault = null;
  expect((await browser.get<Site>("/api/site")).me === null).toBe(answer.headers.get("location") !== "/app");
  return answer.headers.get("location") ?? "";
}

const seconds = () => Math.floor(Date.now() / 1_000);
const ada = { sub: "ada", email: "ada@example.com", email_verified: true };
const invalid = "/sign-in?problem=invalid";

describe("an ID token", () => {
  it("is accepted as the provider signs it, with clocks that differ a little", async () => {
    expect(await answeredWith((nonce) => provider.sign({ ...ada, nonce }))).toBe("/app");
    expect(await answeredWith((nonce) => provider.sign({ ...ada, nonce, exp: seconds() - 15 }))).toBe("/app");
    expect(await answeredWith((nonce) => provider.sign({ ...ada, nonce, iat: seconds() + 15 }))).toBe("/app");
  });

  it.each<[string, Record<string, unknown>]>([
    ["for another audience", { aud: "another" }],
    ["of another issuer", { iss: "https://evil.example" }],
    ["with another nonce", { nonce: "another" }],
    ["without a nonce", { nonce: undefined }],
    ["that has expired", { exp: seconds() - 120 }],
    ["of another day", { iat: seconds() - 90_000, exp: seconds() - 86_400 }],
    ["without a subject", { sub: undefined }],
    ["for several audiences, another one authorized", { aud: [clientId, "another"], azp: "another" }],
  ])("is refused %s", async (_, claims) => {
    expect(await answeredWith((nonce) => provider.sign({ ...ada, nonce, ...claims }))).toBe(invalid);
  });

  it("is refused when somebody else signed it, nobody did, or with the client's secret", async () => {
    const { privateKey } = await generateKeyPair("RS256");
    const base = { iss: provider.issuer, aud: clientId, ...ada };
    const signed = (nonce: string, header: { alg: string; kid?: string }) =>
      new SignJWT({ ...base, nonce }).setProtectedHeader(header).setIssuedAt().setExpirationTime("2m");
    expect(
      await answeredWith((nonce) => signed(nonce, { alg: "RS256", kid: "key-1" }).sign(privateKey)),
    ).toBe(invalid);
    const secret = Buffer.from(clientSecret.padEnd(32, "x"));
    expect(await answeredWith((nonce) => signed(nonce, { alg: "HS256" }).sign(secret))).toBe(invalid);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = (nonce: string) =>
      `${part({ alg: "none" })}.${part({ ...base, nonce, iat: seconds(), exp: seconds() + 60 })}.`;
    expect(await answeredWith(async (nonce) => unsigned(nonce))).toBe(invalid);
  });
});

it("keys that the provider replaced are read again, once", async () => {
  const signIn = async () => (await signInAt(dashboard.browser(), provider, "ada")).location;
  expect(await signIn()).toBe("/app");
  await provider.rotateKeys();
  provider.requests.length = 0;
  expect(await signIn()).toBe("/app");
  expect(provider.requests.filter((path) => path === "/jwks")).toHaveLength(1);
  expect(await signIn()).toBe("/app");
  expect(provider.requests.filter((path) => path === "/jwks")).toHaveLength(1);
});

it("a code that was used is refused by the provider, also in a new round", async () => {
  const browser = dashboard.browser();
  const used = new URL(await roundTrip(browser, provider, "ada"), dashboard.url);
  await browser.send("GET", used.pathname + used.search);
  const second = dashboard.browser();
  const { headers } = await second.send("GET", "/sign-in/oidc/test");
  const state = new URL(headers.get("location") ?? "").searchParams.get("state") ?? "";
  used.searchParams.set("state", state);
  expect((await second.send("GET", used.pathname + used.search)).headers.get("location")).toBe(invalid);
});

describe("a provider that", () => {
  /** A new one each time: what is known of the other stays known. */
  async function started(fault: Fault): Promise<string | null> {
    provider.fault = fault;
    const id = `p${Math.random().toString(36).slice(2)}`;
    const issuer = `${provider.issuer}/${id}`;
    await operator.must("PUT", `/api/admin/providers/${id}`, { name: id, issuer, clientId, clientSecret });
    const { headers, status } = await dashboard.browser().send("GET", `/sign-in/oidc/${id}`);
    expect(status).toBe(303);
    await operator.must("DELETE", `/api/admin/providers/${id}`);
    return headers.get("location");
  }
  const unreachable = "/sign-in?problem=unreachable";

  it("is down, slow or endless is said to be unreachable", async () => {
    expect(await started((_request, response) => Boolean(response.writeHead(503).end("no")))).toBe(
      unreachable,
    );
    expect(await started((request) => Boolean(request.destroy()))).toBe(unreachable);
    expect(await started(() => true)).toBe(unreachable);
    const endless: Fault = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const write = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
      };
      response.on("drain", write);
      write();
      return true;
    };
    expect(await started(endless)).toBe(unreachable);
    expect(await started((_request, response) => Boolean(response.writeHead(200).end("<html>")))).toBe(
      unreachable,
    );
    const elsewhere = { location: "http://169.254.169.254/" };
    expect(await started((_request, response) => Boolean(response.writeHead(302, elsewhere).end()))).toBe(
      unreachable,
    );
  });

  it("says another issuer in its metadata is refused", async () => {
    const claims = { issuer: "https://evil.example", authorization_endpoint: "https://evil.example/a" };
    expect(await started((_request, response) => json(response, claims))).toBe(invalid);
  });

  it("fails after the person signed in there is said to be so, and nobody is signed in", async () => {
    const browser = dashboard.browser();
    const back = await roundTrip(browser, provider, "ada");
    provider.fault = at("/token", () => undefined);
    expect((await browser.send("GET", back)).headers.get("location")).toBe(unreachable);
    expect((await browser.get<Site>("/api/site")).me).toBeNull();
  });

  it("is at an address that must not be reached is never asked, whatever its metadata say", async () => {
    const metadata = (issuer: string) => ({
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      jwks_uri: "http://169.254.169.254/latest/meta-data",
    });
    const test = (issuer: string) =>
      operator.post<ProviderTest>("/api/admin/providers/meta/test", { name: "Meta", issuer, clientId });
    provider.fault = (_request, response) => json(response, metadata(provider.issuer));
    expect((await test(provider.issuer)).problem).toContain("never connects to");
    expect((await test("https://169.254.169.254")).problem).toContain("never connects to");
    expect((await test("https://[fd00:ec2::254]/")).problem).toContain("never connects to");
    for (const issuer of [
      "http://169.254.169.254",
      "http://10.0.0.1",
      "ftp://127.0.0.1",
      "https://a.example/?b=c",
    ]) {
      const { json: refused } = await operator.send("POST", "/api/admin/providers/meta/test", {
        name: "Meta",
        issuer,
        clientId,
      });
      expect(refused).toMatchObject({ error: { code: "bad_request", field: "issuer" } });
    }
  });
});

describe("a provider of the admins' page", () => {
  const body = () => ({
    name: "Ours",
    issuer: provider.issuer,
    clientId,
    clientSecret,
    signUp: "domains",
    domains: ["Example.org"],
  });

  it("is kept with its secret sealed, is tested, and admits verified addresses of its domains", async () => {
    const saved = await operator.must<ProviderView>("PUT", "/api/admin/providers/ours", body());
    expect(saved).toMatchObject({ hasSecret: true, isConfigured: false, domains: ["example.org"] });
    expect(JSON.stringify([...dashboard.tables()])).not.toContain(clientSecret);
    expect(JSON.stringify(await operator.get("/api/admin/providers"))).not.toContain(clientSecret);
    const { clientSecret: _, ...withoutSecret } = body();
    await operator.must("PUT", "/api/admin/providers/ours", { ...withoutSecret, name: "Renamed" });
    const test = (more: object) =>
      operator.post<ProviderTest>("/api/admin/providers/ours/test", { ...withoutSecret, ...more });
    expect(await test({})).toEqual(
      expect.objectContaining({ problem: null, hasLogout: true, hasBackChannelLogout: true }),
    );
    expect((await test({ clientSecret: "a wrong one" })).problem).toContain("client id or the secret");
    await provider.serve(dashboard.url, { id: "ours" });
    const path = "/sign-in/oidc/ours";
    const signIn = async (login: string, claims: object) => {
      provider.people.set(login, { ...claims });
      return (await signInAt(dashboard.browser(), provider, login, { path })).location;
    };
    expect(await signIn("in", { email: "in@EXAMPLE.org", email_verified: true })).toBe("/app");
    for (const [login, claims] of Object.entries({
      unverified: { email: "unverified@example.org", email_verified: false },
      silent: { email: "silent@example.org" },
      outside: { email: "outside@example.com", email_verified: true },
      below: { email: "below@sub.example.org", email_verified: true },
      like: { email: "like@notexample.org", email_verified: true },
    }))
      expect([login, await signIn(login, claims)]).toEqual([login, "/sign-in?problem=no_account"]);
    expect(await signIn("nameless", {})).toBe("/sign-in?problem=no_email");
    await operator.must("DELETE", "/api/admin/providers/ours");
    expect(await operator.send("PUT", "/api/admin/providers/test", body())).toMatchObject({ status: 409 });
    await provider.serve(dashboard.url);
  });
});

it("the provider asks for the password again where someone is to prove who they are", async () => {
  const [browser, cookies] = [dashboard.browser(), new Map<string, string>()];
  await signInAt(browser, provider, "ada", { cookies });
  const silent = provider.requests.length;
  await signInAt(dashboard.browser(), provider, "ada", { cookies });
  const asked = () => provider.requests.slice(silent).filter((path) => path.startsWith("/interaction/"));
  expect(asked()).toEqual([]);
  const again = { cookies, path: "/sign-in/oidc/test?confirm" };
  expect((await signInAt(browser, provider, "ada", again)).location).toBe("/sign-in/confirmed");
  expect(asked().length).toBeGreaterThan(0);
});

it("a logout at the provider itself ends the sessions that it began, and no others", async () => {
  const [here, there, cookies] = [dashboard.browser(), dashboard.browser(), new Map<string, string>()];
  await signInAt(here, provider, "ada", { cookies });
  await signInAt(there, provider, "ada");
  const other = dashboard.browser();
  await signInAt(other, provider, "ada", { cookies });
  await provider.visit(
    `${provider.issuer}/session/end?client_id=${clientId}&post_logout_redirect_uri=${dashboard.url}/sign-in`,
    "ada",
    cookies,
  );
  const isIn = async (browser: Browser) => (await browser.get<Site>("/api/site")).me !== null;
  expect(await Promise.all([here, other, there].map(isIn))).toEqual([false, false, true]);
});

describe("where people sign in with providers only", () => {
  it("passwords and passkeys are refused, and a link from the command line signs an admin in", async () => {
    const env = { SOTTO_OIDC_PROVIDERS: providerSetting(provider.issuer), SOTTO_SIGN_IN: "oidc" };
    const strict = await startDashboard({ env });
    const admin = await strict.setUp();
    const browser = strict.browser();
    const credentials = { email: "operator@example.com", password: "correct horse battery" };
    for (const [path, body] of [
      ["/api/sign-in", credentials],
      ["/api/sign-up", { ...credentials, email: "new@example.com" }],
      ["/api/reset/request", { email: credentials.email }],
      ["/api/reset", { token: "x".repeat(43), password: credentials.password }],
      ["/api/sign-in/passkey/options", {}],
      ["/api/sign-in/passkey", {}],
    ] as const)
      expect((await browser.send("POST", path, body)).json).toMatchObject({ error: { code: "forbidden" } });
    const change = { next: "another long one" };
    expect((await admin.send("POST", "/api/me/password", change)).status).toBe(403);
    const { id } = (await admin.get<Me>("/api/me")).account;
    const { path } = await strict.app.dashboard.links.signIn(id);
    await browser.post("/api/sign-in/link", { token: path.split("token=")[1] });
    expect((await browser.get<Me>("/api/me")).account.role).toBe("admin");
    await strict.close();
  });
});
