import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../src/protocol/dashboard/audit.js";
import type {
  Changelog,
  ChangelogEntry,
  Maintenance,
  Site,
  Status,
} from "../../src/protocol/dashboard/api.js";
import { eventually } from "../support/eventually.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/processes/dashboard-server.js";
import { FakeClock } from "../support/inputs/fake-clock.js";

const hourMs = 60 * 60_000;

describe("news", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  let operator: Browser;
  beforeEach(async () => {
    clock = new FakeClock(new Date("2030-01-01T09:00:00Z"));
    dashboard = await startDashboard({ clock, env: { SOTTO_OWNER_NAME: "Acme <& Sons>" } });
    operator = await dashboard.setUp();
  });
  afterEach(() => dashboard.close());

  const changelog = async () => (await dashboard.browser().get<Changelog>("/api/changelog")).entries;
  const feed = async () => (await dashboard.browser().send("GET", "/changelog.atom")).text;
  const schedule = (from: string, to: string) =>
    operator.post<Maintenance>("/api/admin/maintenance", {
      title: "New disks",
      body: "Faster ones.",
      startsAt: `2030-01-01T${from}:00Z`,
      endsAt: `2030-01-01T${to}:00Z`,
    });

  it("appear on the page and in the feed at once, newest first", async () => {
    await operator.post("/api/admin/changelog", { title: "First", body: "" });
    clock.advance(hourMs);
    const second = await operator.post<ChangelogEntry>("/api/admin/changelog", {
      title: "Second",
      body: "**bold**",
    });
    expect(second).toMatchObject({ kind: "entry", title: "Second", maintenance: null });
    expect((await changelog()).map(({ title }) => title)).toEqual(["Second", "First"]);
    const text = await feed();
    expect(text.indexOf("Second")).toBeLessThan(text.indexOf("First"));
    expect(text).toContain(
      '<content type="html">&lt;p dir=&quot;auto&quot;&gt;&lt;strong&gt;bold&lt;/strong&gt;&lt;/p&gt;</content>',
    );
  });

  it("are changed and deleted", async () => {
    const { id } = await operator.post<ChangelogEntry>("/api/admin/changelog", { title: "Frist", body: "" });
    clock.advance(hourMs);
    const changed = await operator.must<ChangelogEntry>("PUT", `/api/admin/changelog/${id}`, {
      title: "First",
      body: "",
    });
    expect(changed).toMatchObject({ title: "First", publishedAt: "2030-01-01T09:00:00.000Z" });
    expect(await feed()).toContain("<updated>2030-01-01T10:00:00.000Z</updated>");
    await operator.must("DELETE", `/api/admin/changelog/${id}`);
    expect(await changelog()).toEqual([]);
    expect((await operator.send("DELETE", `/api/admin/changelog/${id}`)).status).toBe(404);
  });

  it("announce maintenance from when it is scheduled until it is over", async () => {
    const planned = await schedule("11:00", "12:00");
    expect(planned.state).toBe("planned");
    expect(await changelog()).toMatchObject([
      { kind: "maintenance", title: "New disks", maintenance: { id: planned.id, state: "planned" } },
    ]);
    expect(await feed()).toContain("Maintenance: New disks");
    const visitor = dashboard.browser();
    expect((await visitor.get<Site>("/api/site")).maintenance).toMatchObject({ state: "planned" });
    expect((await visitor.get<Status>("/api/status")).overall).toBe("up");

    clock.advance(2 * hourMs);
    expect((await visitor.get<Site>("/api/site")).maintenance).toMatchObject({ state: "open" });
    expect(await visitor.get<Status>("/api/status")).toMatchObject({
      overall: "maintenance",
      models: [{ id: "omega", state: "maintenance" }, { id: "prism" }, { id: "lambda" }],
    });
    clock.advance(hourMs);
    expect((await visitor.get<Site>("/api/site")).maintenance).toBeNull();
    expect((await changelog())[0]?.maintenance?.state).toBe("over");
    expect((await visitor.get<Status>("/api/status")).overall).toBe("up");
  });

  it("say when maintenance ended early", async () => {
    const { id } = await schedule("08:00", "12:00");
    const ended = await operator.post<Maintenance>(`/api/admin/maintenance/${id}/end`);
    expect(ended).toMatchObject({ state: "over", endedAt: "2030-01-01T09:00:00.000Z" });
    expect((await dashboard.browser().get<Status>("/api/status")).overall).toBe("up");
  });

  it("say when maintenance was called off, which differs from ending early", async () => {
    const { id } = await schedule("11:00", "12:00");
    const ended = await operator.post<Maintenance>(`/api/admin/maintenance/${id}/end`);
    expect(ended).toMatchObject({ state: "over", endedAt: "2030-01-01T09:00:00.000Z" });
    expect(await feed()).toContain("Called off: it does not take place.");
    const { entries } = await operator.get<{ entries: AuditEntry[] }>("/api/admin/audit");
    expect(entries[0]).toMatchObject({ action: "called off maintenance", target: "New disks" });
    // Once is enough: a second time changes and records nothing.
    await operator.post(`/api/admin/maintenance/${id}/end`);
    const again = await operator.get<{ entries: AuditEntry[] }>("/api/admin/audit");
    expect(again.entries).toEqual(entries);
  });

  it("of maintenance can be changed until it begins, and are final afterwards", async () => {
    const { id } = await schedule("11:00", "12:00");
    const change = (from: string, to: string) =>
      operator.send("PUT", `/api/admin/maintenance/${id}`, {
        title: "More disks",
        body: "",
        startsAt: `2030-01-01T${from}:00Z`,
        endsAt: `2030-01-01T${to}:00Z`,
      });
    clock.advance(hourMs / 2);
    expect((await change("12:00", "14:00")).json).toMatchObject({
      id,
      title: "More disks",
      startsAt: "2030-01-01T12:00:00.000Z",
      endsAt: "2030-01-01T14:00:00.000Z",
      state: "planned",
    });
    expect(await feed()).toContain("<updated>2030-01-01T09:30:00.000Z</updated>");
    expect((await change("14:00", "12:00")).json).toMatchObject({ error: { field: "endsAt" } });

    clock.advance(3 * hourMs);
    expect(await change("15:00", "16:00")).toMatchObject({
      status: 409,
      json: { error: { code: "conflict" } },
    });
    expect((await changelog())[0]?.maintenance).toMatchObject({
      startsAt: "2030-01-01T12:00:00.000Z",
      state: "open",
    });
    const other = { title: "x", body: "", startsAt: "2030-01-02T10:00:00Z", endsAt: "2030-01-02T11:00:00Z" };
    expect((await operator.send("PUT", "/api/admin/maintenance/none", other)).status).toBe(404);
  });

  it("take no window that ends before it begins, or in the past", async () => {
    await expect(schedule("12:00", "11:00")).rejects.toThrow('"field":"endsAt"');
    await expect(schedule("07:00", "08:00")).rejects.toThrow('"field":"endsAt"');
  });

  it("take no control characters, which neither databases nor feeds can hold", async () => {
    const publish = (title: string, body: string) =>
      operator.send("POST", "/api/admin/changelog", { title, body });
    expect((await publish("a\u0000b", "")).json).toMatchObject({ error: { field: "title" } });
    expect((await publish("a", "b\u0008c")).json).toMatchObject({ error: { field: "body" } });
    expect((await publish("a", "b\r\n\tc")).json).toMatchObject({ body: "b\n\tc" });
  });

  it("are a valid feed whatever is written in them", async () => {
    const nasty = `<script>alert("1")</script> & ]]> \ufffe '2' 🚀`;
    await operator.post("/api/admin/changelog", { title: nasty, body: nasty });
    await schedule("11:00", "12:00");
    const { headers, text } = await dashboard.browser().send("GET", "/changelog.atom");
    expect(headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    expect(text).toContain("Acme &lt;&amp; Sons&gt;");
    // A title is text and escaped once. A text is HTML: what was written is escaped in it, and all of it once more.
    const once = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; ]]&gt;  &#39;2&#39; 🚀";
    expect(text).toContain(`<title type="text">${once}</title>`);
    expect(text).toContain(
      `<content type="html">&lt;p dir=&quot;auto&quot;&gt;${once.replaceAll("&", "&amp;")}&lt;/p&gt;</content>`,
    );
    const tree = parseXml(text);
    expect(tree.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["feed/id", "feed/title", "feed/updated", "feed/author/name", "feed/entry/id"]),
    );
    const textOf = (path: string) => tree.filter((node) => node.path === path).map((node) => node.text);
    const entryIds = textOf("feed/entry/id");
    expect(entryIds).toHaveLength(2);
    for (const id of [...entryIds, ...textOf("feed/id")]) {
      expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    }
    for (const time of [...textOf("feed/updated"), ...textOf("feed/entry/updated")]) {
      expect(new Date(time).toISOString()).toBe(time);
    }
    expect(textOf("feed/entry/updated")).toHaveLength(2);
    expect(textOf("feed/entry/title")).toHaveLength(2);
    // The ids of a feed are what readers know its entries by.
    expect(await feed()).toBe(text);
  });
});

describe("reading without an account", () => {
  it.each([
    "/changelog.atom",
    "/status.atom",
    "/api/changelog",
    "/api/site",
    "/api/status",
    "/api/status/history",
    "/api/me",
    "/",
    "/openapi.json",
  ])("writes nothing to the database: %s", async (path) => {
    const dashboard = await startDashboard();
    try {
      // The statement about the program that has just started.
      await eventually(() => dashboard.tables().get("statement_log") !== "");
      const before = dashboard.tables();
      await dashboard.browser().send("GET", path);
      expect(dashboard.tables()).toEqual(before);
    } finally {
      await dashboard.close();
    }
  });
});

/** Every element with its path and text; throws where XML is not well-formed. */
function parseXml(xml: string): { path: string; text: string }[] {
  const body = xml.replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\s*/, "");
  const nodes: { path: string; text: string }[] = [];
  const open: { name: string; text: string }[] = [];
  const token =
    /<(\/?)([a-z]+)((?: [a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot|#39);[^"<&]*)*")*)\s*(\/?)>|([^<]+)/gy;
  for (let match = token.exec(body); match !== null; match = token.exec(body)) {
    const [, closes, name = "", , empty, text] = match;
    const top = open.at(-1);
    if (text !== undefined) {
      if (/&(?!(amp|lt|gt|quot|#39);)/.test(text)) throw new Error("an ampersand is not escaped");
      if (top !== undefined) top.text += text;
      else if (text.trim() !== "") throw new Error("there is text outside the feed");
    } else if (closes === "/") {
      if (top?.name !== name) throw new Error(`</${name}> closes nothing`);
      nodes.push({ path: open.map((node) => node.name).join("/"), text: top.text });
      open.pop();
    } else if (empty !== "/") open.push({ name, text: "" });
    if (token.lastIndex === body.length) break;
  }
  if (open.length > 0 || token.lastIndex !== body.length) throw new Error("the feed is not well-formed");
  return nodes;
}
