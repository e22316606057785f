import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

describe("a request that another site makes a browser send", () => {
  let dashboard: TestDashboard;
  let ada: Browser;
  beforeAll(async () => {
    dashboard = await startDashboard({ env: { SOTTO_PUBLIC_URL: "https://chat.example.com/" } });
    ada = await dashboard.signUp("ada@example.com");
  });
  afterAll(() => dashboard.close());

  const attempt = async (headers: Record<string, string>, method = "POST", path = "/api/keys") => {
    const response = await fetch(dashboard.url + path, {
      method,
      headers: { cookie: ada.cookieHeader(), ...headers },
      body: JSON.stringify({ name: "stolen", models: null, expiresInDays: null }),
    });
    return { status: response.status, json: await response.json(), headers: response.headers };
  };
  const json = { "content-type": "application/json" };

  it.each([
    ["without any origin", () => json],
    ["from another origin", () => ({ ...json, origin: "https://evil.example" })],
    ["from an origin that looks alike", () => ({ ...json, origin: `${dashboard.url}.evil.example` })],
    ["from the same host on another port", () => ({ ...json, origin: "http://127.0.0.1:1" })],
    ["from a sandboxed page", () => ({ ...json, origin: "null" })],
    ["that the browser calls cross-site", () => ({ ...json, "sec-fetch-site": "cross-site" })],
    ["that the browser calls same-site", () => ({ ...json, "sec-fetch-site": "same-site" })],
    [
      "that the browser calls cross-site, whatever the origin",
      () => ({ ...json, origin: dashboard.url, "sec-fetch-site": "cross-site" }),
    ],
    ["with a form's content type", () => ({ "content-type": "text/plain", origin: dashboard.url })],
    [
      "with another form's content type",
      () => ({ "content-type": "application/x-www-form-urlencoded", origin: dashboard.url }),
    ],
    [
      "with a content type that only begins like JSON",
      () => ({ "content-type": "application/jsonp", origin: dashboard.url }),
    ],
  ])("is refused %s", async (_, headers) => {
    expect(await attempt(headers())).toMatchObject({
      status: 403,
      json: { error: { code: "forbidden" } },
    });
    expect(await ada.get("/api/keys")).toEqual({ keys: [], next: null });
  });

  it("is refused for every method that changes something, and for signing in", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect((await attempt({ ...json, origin: "https://evil.example" }, method, "/api/me")).status).toBe(
        403,
      );
    }
    const signIn = await fetch(`${dashboard.url}/api/sign-in`, {
      method: "POST",
      headers: { ...json, origin: "https://evil.example" },
      body: JSON.stringify({ email: "ada@example.com", password }),
    });
    expect(signIn.status).toBe(403);
    expect(signIn.headers.getSetCookie()).toEqual([]);
  });

  it("is let in from the service's own pages", async () => {
    for (const headers of [
      { ...json, origin: dashboard.url },
      { ...json, origin: "https://chat.example.com" },
      { ...json, "sec-fetch-site": "same-origin" },
      { "content-type": "application/json; charset=utf-8", origin: dashboard.url },
    ]) {
      expect((await attempt(headers)).status).toBe(200);
    }
  });

  it.each([
    ["POST", "/api/chat"],
    ["POST", "/api/generate"],
    ["GET", "/api/tags"],
    ["POST", "/api/embed/"],
  ])("gets nothing of Ollama's API with a session alone: %s %s", async (method, path) => {
    for (const headers of [
      json,
      { ...json, origin: dashboard.url },
      { ...json, "sec-fetch-site": "same-origin" },
    ]) {
      const response = await fetch(dashboard.url + path, {
        method,
        headers: { ...headers, cookie: ada.cookieHeader() },
        ...(method === "POST" ? { body: '{"model":"omega"}' } : {}),
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: expect.stringContaining("API key") as string });
    }
  });

  it("cannot read anything: no answer allows another origin", async () => {
    for (const path of ["/api/me", "/api/site", "/", "/changelog.atom", "/v1/models"]) {
      const response = await fetch(dashboard.url + path, { headers: { origin: "https://evil.example" } });
      const allowing = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
      expect(allowing).toEqual([]);
    }
    const preflight = await fetch(`${dashboard.url}/api/keys`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.ok).toBe(false);
  });
});
