import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageAddresses } from "../../src/protocol/pages/page-addresses.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import { RawSocket } from "../support/clients/raw-socket.js";

const index = "<!doctype html><head><!-- head --></head><body>The application</body>";
/** What is the same at every address. */
const application = expect.stringMatching(
  /^<!doctype html><head>.*<body>The application<\/body>$/s,
) as unknown;

describe("the pages", () => {
  let dashboard: TestDashboard;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sotto-pages-"));
    const webDir = join(folder, "web");
    await mkdir(join(webDir, "assets"), { recursive: true });
    await writeFile(join(webDir, "index.html"), index);
    await writeFile(join(webDir, "favicon.svg"), "<svg/>");
    await writeFile(join(webDir, "assets", "main-4fJ2.js"), "plain");
    await writeFile(join(webDir, "assets", "main-4fJ2.js.br"), "brotli");
    await writeFile(join(webDir, "assets", "main-4fJ2.js.gz"), "gzip");
    await writeFile(join(folder, "secret.txt"), "SECRET");
    dashboard = await startDashboard({ webDir });
  });
  afterAll(async () => {
    await dashboard.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** With the encoding as sent: `fetch` would unpack it. */
  const get = async (path: string, headers: string[] = []) => {
    const socket = await RawSocket.open(dashboard.app.port);
    socket.send(`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers, "", "");
    const text = await socket.untilClosed();
    const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
    return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body };
  };

  it.each([...pageAddresses, "/app/", "/reset?x=1"])("show the application at %s", async (path) => {
    const { status, head, body } = await get(path);
    expect({ status, body }).toEqual({ status: 200, body: application });
    expect(head).toContain("content-type: text/html; charset=utf-8");
    expect(head).toContain("cache-control: no-cache");
  });

  it.each([
    "/nope",
    "/index",
    "/appx",
    "/assets",
    "/assets/",
    "/assets/other.js",
    "/changelog/x",
    "/.git/HEAD",
  ])("are not at %s", async (path) => {
    const { status, body } = await get(path);
    expect(status).toBe(404);
    expect(body).not.toContain("<!doctype");
  });

  it.each(["/nope", "/docs/nope", "/app/nope", "/admin/nope", "/v1x", "/changelog/x", "/assets/other.js"])(
    "tell a browser so at %s, in the application's own look",
    async (path) => {
      const browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8";
      const { status, head, body } = await get(path, [browser]);
      expect({ status, body }).toEqual({ status: 404, body: application });
      expect(head).toContain("content-type: text/html; charset=utf-8");
      expect(head).toContain("content-security-policy: default-src 'none'");
      expect(head).toContain("vary: accept, accept-encoding");
      expect(head).not.toContain("etag:");
      expect((await get(path, ["Accept: application/json"])).body).toContain('"code":"unknown_url"');
      expect((await get(path, ["Accept: */*"])).body).toContain('"code":"unknown_url"');
    },
  );

  it("leave the addresses of both APIs to them, and whatever is no GET", async () => {
    const headers = { accept: "text/html" };
    const answer = async (path: string, method = "GET") => {
      const response = await fetch(dashboard.url + path, { method, headers });
      return [response.status, response.headers.get("content-type")?.split(";")[0]];
    };
    expect(await answer("/v1/nope")).toEqual([401, "application/json"]);
    expect(await answer("/v1")).toEqual([401, "application/json"]);
    expect(await answer("/api/nope")).toEqual([404, "application/json"]);
    expect(await answer("/nope", "POST")).toEqual([404, "application/json"]);
    expect(await answer("/nope", "HEAD")).toEqual([404, "text/html"]);
  });

  it.each([
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
    "/..\\secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "//secret.txt",
    "/%00/../secret.txt",
    "/docs/../../secret.txt",
  ])("lead to no other file: %s", async (path) => {
    const { body } = await get(path);
    expect(body).not.toContain("SECRET");
  });

  it("keep files with a hash in their name for a year, and ask again for the others", async () => {
    expect((await get("/assets/main-4fJ2.js")).head).toContain(
      "cache-control: public, max-age=31536000, immutable",
    );
    const icon = await get("/favicon.svg");
    expect(icon.head).toContain("cache-control: no-cache");
    expect(icon.head).toContain("content-type: image/svg+xml");
    const etag = /etag: (\S+)/i.exec((await get("/favicon.svg")).head)?.[1] ?? "";
    const tags = await fetch(`${dashboard.url}/favicon.svg`);
    const again = await get("/favicon.svg", [`If-None-Match: ${tags.headers.get("etag") ?? ""}`]);
    expect(etag).not.toBe("");
    expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: "" });
  });

  it.each(["GET", "HEAD"])("log 304 for unchanged files, for %s", async (method) => {
    for (const path of ["/", "/app", "/favicon.svg", "/assets/main-4fJ2.js"]) {
      const etag = (await fetch(dashboard.url + path)).headers.get("etag") ?? "";
      const response = await fetch(dashboard.url + path, { method, headers: { "if-none-match": etag } });
      expect(response.status).toBe(304);
      const requestId = response.headers.get("x-request-id") ?? "none";
      const line = await eventually(() => lineOf(requestId));
      expect(line).toMatchObject({ status: 304, outcome: "finished", method });
      expect(line).not.toHaveProperty("code");
    }
    expect(dashboard.log()).not.toContain("unexpected error");
  });

  const lineOf = (requestId: string) =>
    dashboard
      .log()
      .split("\n")
      .filter((line) => line.includes(requestId))
      .map((line): unknown => JSON.parse(line))[0];

  it("are sent compressed to clients that accept it", async () => {
    const script = "/assets/main-4fJ2.js";
    const sent = async (accepts: string) => {
      const { head, body } = await get(script, [`Accept-Encoding: ${accepts}`]);
      expect(head).toContain("vary: accept-encoding");
      return [/content-encoding: (\w+)/.exec(head)?.[1], body];
    };
    expect(await sent("gzip, deflate, br")).toEqual(["br", "brotli"]);
    expect(await sent("gzip")).toEqual(["gzip", "gzip"]);
    expect(await sent("br;q=0, gzip;q=0.5")).toEqual(["gzip", "gzip"]);
    expect(await sent("identity")).toEqual([undefined, "plain"]);
    expect((await get(`${script}.br`)).status).toBe(404);
  });

  it.each([
    "/",
    "/assets/main-4fJ2.js",
    "/api/site",
    "/api/me",
    "/api/nope",
    "/nope",
    "/changelog.atom",
    "/healthz",
  ])("and everything beside the API carry the headers that keep browsers safe: %s", async (path) => {
    const { headers } = await fetch(dashboard.url + path);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("permissions-policy")).toContain("camera=()");
    if (path.startsWith("/api")) expect(headers.get("cache-control")).toBe("no-store");
  });

  it("leave the API's own answers alone", async () => {
    const { headers } = await fetch(`${dashboard.url}/v1/models`);
    expect(headers.get("content-security-policy")).toBeNull();
  });

  it("answer HEAD", async () => {
    const headers = { "accept-encoding": "identity" };
    const response = await fetch(dashboard.url, { method: "HEAD", headers });
    const whole = await (await fetch(dashboard.url, { headers })).text();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(whole.length));
  });
});

describe("without built pages", () => {
  it("the dashboard's API works, and / says how to build them", async () => {
    const dashboard = await startDashboard({ webDir: "/nowhere" });
    const home = await dashboard.browser().send("GET", "/");
    expect(home).toMatchObject({ status: 503, text: expect.stringContaining("npm run build") as unknown });
    expect((await dashboard.browser().send("GET", "/api/site")).status).toBe(200);
    await dashboard.close();
  });
});

describe("the dashboard's API", () => {
  let dashboard: TestDashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it("has errors of its own shape, including unknown routes and invalid JSON", async () => {
    const visitor = dashboard.browser();
    expect(await visitor.send("GET", "/api/nope")).toMatchObject({
      status: 404,
      json: { error: { code: "not_found" } },
    });
    expect(await visitor.send("POST", "/api/nope")).toMatchObject({ status: 404 });
    expect(await visitor.send("PUT", "/api/sign-in")).toMatchObject({ status: 404 });
    for (const body of ["{", "[]", "null", '"x"', ""]) {
      const response = await fetch(`${dashboard.url}/api/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: dashboard.url },
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: "bad_request" } });
    }
  });

  it("takes no body over 64 KB", async () => {
    const email = "x".repeat(70_000);
    const answer = await dashboard.browser().send("POST", "/api/sign-in", { email, password: "x" });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: "bad_request" } } });
    expect(answer.text).toContain("65536");
  });

  it("shows an unexpected error as internal, and reveals nothing more", async () => {
    await dashboard.app.store.close();
    const answer = await dashboard.browser().send("GET", "/api/changelog");
    expect(answer).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(answer.text).not.toMatch(/sqlite|database|kysely/i);
    expect(dashboard.log()).toContain("unexpected error");
  });
});
