import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { password, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

/** A site whose name was made to resolve to this machine: to a browser it is the origin of our pages. */
describe("a request under another host name", () => {
  let dashboard: TestDashboard;
  afterEach(() => dashboard.close());

  const start = async (env: Record<string, string> = {}) => {
    dashboard = await startDashboard({ env });
    await dashboard.signUp("ada@example.com");
  };

  const ask = (
    host: string,
    path: string,
    { method = "GET", body = "", headers = {} }: { method?: string; body?: string; headers?: object } = {},
  ) =>
    new Promise<{ status: number; type: string; cookies: string[]; body: string }>((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: dashboard.app.port, path, method, headers: { ...headers, host } },
        (response) => {
          const { statusCode: status = 0, headers } = response;
          const [type = ""] = (headers["content-type"] ?? "").split(";");
          text(response).then(
            (body) => resolve({ status, type, cookies: headers["set-cookie"] ?? [], body }),
            reject,
          );
        },
      );
      sent.on("error", reject).end(body);
    });
  const signIn = (host: string, headers: Record<string, string> = {}) =>
    ask(host, "/api/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json", origin: `http://${host}`, ...headers },
      body: JSON.stringify({ email: "ada@example.com", password }),
    });

  it("cannot sign in, though the origin agrees", async () => {
    await start();
    for (const host of ["evil.test", `evil.test:${dashboard.app.port}`, "192.168.1.5"]) {
      for (const headers of [{}, { "sec-fetch-site": "same-origin" }]) {
        const answer = await signIn(host, headers);
        expect(answer).toMatchObject({ status: 403, cookies: [] });
        expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "forbidden" } });
        expect(answer.body).toContain("SOTTO_PUBLIC_URL");
        expect(answer.body).not.toContain("evil");
      }
    }
    expect((await signIn(`localhost:${dashboard.app.port}`)).status).toBe(200);
    expect((await signIn(`127.0.0.1:${dashboard.app.port}`)).status).toBe(200);
  });

  it("gets neither pages nor anything of the dashboard's, and is refused with the name of the setting", async () => {
    await start();
    for (const path of ["/", "/app", "/changelog.atom", "/openapi.json", "/nope", "/api/site", "/api/nope"]) {
      const answer = await ask("evil.test", path, { headers: { accept: "text/html" } });
      expect(answer.status).toBe(403);
      expect(answer.body).toContain("set SOTTO_PUBLIC_URL");
      expect(answer.type).toBe(path.startsWith("/api") ? "application/json" : "text/plain");
    }
    expect(dashboard.log()).not.toContain("unexpected error");
  });

  it("is served where the name does not matter: by key, and to health probes", async () => {
    await start({ SOTTO_METRICS_TOKEN: "a-token-for-the-tests" });
    const status = async (path: string) => (await ask("sotto.internal:8080", path)).status;
    expect(await status("/healthz")).toBe(200);
    expect(await status("/readyz")).toBe(200);
    expect(await status("/v1/models")).toBe(401);
    expect(await status("/v1/nope")).toBe(401);
    expect(await status("/api/tags")).toBe(401);
    expect(await status("/api/pull")).toBe(401);
    const headers = { authorization: "Bearer a-token-for-the-tests" };
    expect((await ask("sotto.internal", "/metrics", { headers })).status).toBe(200);
  });

  it("is served when it is that of the public URL, also as a believed proxy passes it on", async () => {
    await start({ SOTTO_PUBLIC_URL: "https://chat.example.com", SOTTO_TRUST_PROXY: "loopback" });
    expect((await ask("chat.example.com", "/api/site")).status).toBe(200);
    expect((await ask("localhost", "/api/site")).status).toBe(200);
    const refused = await ask("evil.test", "/api/site");
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("https://chat.example.com");
    const forwarded = (name: string) =>
      ask("sotto:8080", "/api/site", { headers: { "x-forwarded-host": name } });
    expect((await forwarded("chat.example.com")).status).toBe(200);
    expect((await forwarded("evil.test")).status).toBe(403);
  });

  it("is not believed from a stranger's forwarded header", async () => {
    await start();
    const headers = { "x-forwarded-host": "localhost" };
    expect((await ask("evil.test", "/api/site", { headers })).status).toBe(403);
  });
});
