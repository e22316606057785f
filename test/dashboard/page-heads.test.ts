/** What crawlers, link previews and browsers read of a page before any script runs. */
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageAddresses, publicAddresses } from "../../src/protocol/pages/page-addresses.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

const publicUrl = "https://chat.example.com";
const isPrivate = (path: string) => !publicAddresses.some((address) => address === path);
const privateAddresses = pageAddresses.filter((path) => isPrivate(path) && !path.includes(":"));

let dashboard: TestDashboard;
let local: TestDashboard;
beforeAll(async () => {
  [dashboard, local] = await Promise.all([
    startDashboard({ webDir: "dist/web", env: { SOTTO_PUBLIC_URL: `${publicUrl}/` } }),
    startDashboard({ webDir: "dist/web" }),
  ]);
});
afterAll(() => Promise.all([dashboard.close(), local.close()]));

const read = async (path: string, from = dashboard, headers: Record<string, string> = {}) => {
  const response = await fetch(from.url + path, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
};
const content = (html: string, name: string): string | undefined =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)" />`).exec(html)?.[1];
const titleOf = (html: string): string | undefined => /<title>([^<]*)<\/title>/.exec(html)?.[1];

describe("the HTML of a page that anyone may read", () => {
  it.each(publicAddresses)("describes %s, and says where it is", async (path) => {
    const { text } = await read(path);
    const [title, description] = [titleOf(text), content(text, "description")];
    expect(title).toMatch(path === "/" ? /^Sotto: / : /^.+ · Sotto$/);
    expect(description?.length).toBeGreaterThan(40);
    expect(description?.length).toBeLessThan(160);
    expect(text.match(/<title>/g)).toHaveLength(1);
    expect(content(text, "og:title")).toBe(title);
    expect(content(text, "og:description")).toBe(description);
    expect(content(text, "og:url")).toBe(publicUrl + path);
    expect(content(text, "og:image")).toBe(`${publicUrl}/og.png`);
    expect(content(text, "twitter:card")).toBe("summary_large_image");
    expect(content(text, "robots")).toBeUndefined();
    expect(text).toContain(`<link rel="canonical" href="${publicUrl}${path}" />`);
  });

  it("has a title and a description of its own", async () => {
    const pages = await Promise.all(publicAddresses.map(async (path) => (await read(path)).text));
    const distinct = (values: unknown[]) => new Set(values).size;
    expect(distinct(pages.map(titleOf))).toBe(pages.length);
    expect(distinct(pages.map((text) => content(text, "description")))).toBe(pages.length);
  });

  it("names no address of its own while none is configured", async () => {
    const { text } = await read("/docs", local);
    expect(titleOf(text)).toBe("Quickstart · Sotto");
    expect(text).not.toMatch(/canonical|og:url|og:image/);
  });
});

describe("the HTML of a page that belongs to an account", () => {
  it.each(privateAddresses)("asks not to be indexed: %s", async (path) => {
    const { text } = await read(path);
    expect(content(text, "robots")).toBe("noindex");
    expect(text).not.toMatch(/canonical|og:|name="description"/);
  });

  it("is the same where there is no page", async () => {
    const { status, text } = await read("/no-such-page", dashboard, { accept: "text/html" });
    expect([status, titleOf(text), content(text, "robots")]).toEqual([404, "Not found · Sotto", "noindex"]);
  });
});

describe("the scripts of a page", () => {
  it.each(pageAddresses.filter((path) => path !== "/admin"))(
    "are hinted at in %s, and exist",
    async (path) => {
      const { text } = await read(path);
      const hinted = [...text.matchAll(/<link rel="modulepreload" crossorigin href="([^"]+)"/g)];
      const files = hinted.map(([, file = ""]) => file);
      expect(files.length).toBeGreaterThan(0);
      expect(new Set(files).size).toBe(files.length);
      for (const file of files) expect(existsSync(`dist/web${file}`)).toBe(true);
    },
  );

  it("are those of the page, not of the others", async () => {
    const [docs, playground] = await Promise.all([read("/docs/errors"), read("/app/playground")]);
    expect(docs.text).toMatch(/modulepreload" crossorigin href="\/assets\/errors-/);
    expect(docs.text).not.toContain("/assets/app-");
    expect(playground.text).toContain("/assets/app-");
    expect(playground.text).toContain("/assets/playground-");
    expect((await read("/route-hints.json")).status).toBe(404);
  });
});

describe("for crawlers", () => {
  it("the sitemap lists the public pages, and robots.txt names it", async () => {
    const { text, headers } = await read("/sitemap.xml");
    expect(headers.get("content-type")).toBe("application/xml; charset=utf-8");
    const listed = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
    expect(listed).toEqual(publicAddresses.map((path) => publicUrl + path));
    expect((await read("/robots.txt")).text).toContain(`Sitemap: ${publicUrl}/sitemap.xml\n`);
  });

  it("there is none without a public address", async () => {
    expect((await read("/sitemap.xml", local)).status).toBe(404);
    expect((await read("/robots.txt", local)).text).not.toContain("Sitemap:");
  });

  it.each([
    ["/og.png", 1200, 630],
    ["/apple-touch-icon.png", 180, 180],
  ])("%s is a picture of %i × %i", async (path, width, height) => {
    const response = await fetch(dashboard.url + path);
    expect(response.headers.get("content-type")).toBe("image/png");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([width, height]);
    expect(bytes.length).toBeLessThan(100_000);
  });
});
