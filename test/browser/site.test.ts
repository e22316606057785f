/** The pages that newcomers read: what the landing page shows, snippets, the API reference, the search, paper. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pageAddresses } from "../../src/protocol/pages/page-addresses.js";
import { setStage } from "./support/stage.js";
import { openPage, password, returningContext, signedInContext } from "./support/visit.js";

const operatorEmail = "operator@example.com";

const stage = setStage(async (dashboard) => {
  await dashboard.setUp(operatorEmail);
});

async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await stage.browser.newContext({ reducedMotion: "reduce", locale: "en-US", ...options });
  context.setDefaultTimeout(60_000);
  const { page } = await openPage(context, stage.url);
  await page.goto(stage.url + path);
  await page.locator("h1").first().waitFor();
  return page;
}

const isInView = (page: Page, id: string) =>
  page.evaluate((name) => {
    const box = document.getElementById(name)?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.top < innerHeight;
  }, id);

describe("the landing page", () => {
  it("shows the two lines to change, as a diff", async () => {
    const page = await visit("/");
    const diff = page.getByRole("group", { name: "Changes in Python" });
    expect(await diff.locator("del").allInnerTexts()).toEqual([
      '    base_url="https://api.openai.com/v1",\n',
      '    api_key=os.environ["OPENAI_API_KEY"],\n',
    ]);
    expect(await diff.locator("ins").allInnerTexts()).toEqual([
      `    base_url="${stage.url}/v1",\n`,
      '    api_key=os.environ["SOTTO_API_KEY"],\n',
    ]);
    await page.getByRole("tab", { name: "Node" }).first().click();
    expect(await page.getByRole("group", { name: "Changes in Node" }).locator("ins").count()).toBe(2);
    await page.context().close();
  });

  it.each(["light", "dark"] as const)(
    "shows the product in a %s theme, and loads no other picture",
    async (theme) => {
      const page = await visit("/", { colorScheme: theme });
      const shown = page.getByRole("img", { name: /^The playground/ }).and(page.locator(":visible"));
      expect(await shown.count()).toBe(1);
      await shown.scrollIntoViewIfNeeded();
      await page.waitForFunction(() =>
        [...document.images].some(
          (image) => image.offsetWidth > 0 && image.complete && image.naturalWidth > 0,
        ),
      );
      const asked = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => name),
      );
      const loaded = asked.filter((name) => name.endsWith(".webp")).map((name) => new URL(name).pathname);
      expect(loaded).toContain(`/pictures/playground-${theme}.webp`);
      expect(loaded.filter((name) => !name.endsWith(`-${theme}.webp`))).toEqual([]);
      await page.context().close();
    },
  );
});

describe("the code in the documentation", () => {
  it("can be switched to streaming, in every language", async () => {
    const page = await visit("/docs");
    const tabs = page.getByRole("tablist", { name: "Language" });
    expect(await tabs.getByRole("tab").allInnerTexts()).toEqual([
      "curl",
      "Python",
      "Node",
      "Go",
      "Environment",
    ]);
    await page.getByLabel("Stream").check();
    expect(await page.getByRole("group", { name: "curl" }).innerText()).toContain('"stream": true');
    await tabs.getByRole("tab", { name: "Go" }).click();
    expect(await page.getByRole("group", { name: "Go" }).innerText()).toContain("NewStreaming");
    await page.getByLabel("Stream").uncheck();
    expect(await page.getByRole("group", { name: "Go" }).innerText()).not.toContain("NewStreaming");
    await page.context().close();
  });

  it("leads to each client on the Connect page", async () => {
    const page = await visit("/docs#clients");
    const link = page.getByRole("link", { name: "Codex CLI" });
    expect(await link.getAttribute("href")).toBe("/app/connect#codex");
    await page.context().close();
  });
});

describe("the API reference", () => {
  it("has code in three languages, addresses for fields, and the operators' part at the end", async () => {
    const page = await visit("/docs/api#createChatCompletion-max_tokens");
    await page.getByRole("heading", { name: "For operators" }).waitFor();
    await page.waitForFunction(() => scrollY > 0);
    expect(await isInView(page, "createChatCompletion-max_tokens")).toBe(true);
    const code = page.getByRole("tablist", { name: "Code for Create a chat completion" });
    expect(await code.getByRole("tab").allInnerTexts()).toEqual(["curl", "Python", "Node"]);
    const headings = await page.locator("h2[id]").evaluateAll((all) => all.map(({ id }) => id));
    const border = headings.indexOf("operators");
    expect(headings.slice(border + 1)).toEqual([
      ...["health", "readiness", "openApiDocument", "metrics", "encryptionKeys", "statement", "statementLog"],
      ...["statementCheckpoint", "statementInclusion", "statementConsistency"],
    ]);
    expect(headings.slice(0, border)).toContain("createMessage");
    const listed = page.getByRole("navigation", { name: "Operations", exact: true });
    expect(await listed.innerText()).not.toContain("/healthz");
    await page.context().close();
  });
});

describe("the search in the documentation", () => {
  it("opens with /, finds fields, codes and headings, and leads there by keyboard", async () => {
    const page = await visit("/docs");
    await page.getByRole("heading", { name: "Clients" }).waitFor();
    await page.keyboard.press("/");
    const field = page.getByRole("combobox", { name: "Search the documentation" });
    await field.fill("/");
    expect(await field.inputValue()).toBe("/");
    const first = async (query: string) => {
      await field.fill(query);
      return (await page.getByRole("option").first().innerText()).split("\n")[0];
    };
    expect(await first("context_length_exceeded")).toBe("context_length_exceeded");
    expect(await first("stopping early")).toBe("Stopping early");
    expect(await first("reasoning_effort")).toBe("reasoning_effort");
    await field.fill("rate limited");
    await page.getByRole("option", { name: /^429 Rate limited/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await page.getByRole("option", { selected: true }).getAttribute("id")).toBe(
      await field.getAttribute("aria-activedescendant"),
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/docs/errors#status-429`);
    await page.waitForFunction(() => scrollY > 0);
    expect(await isInView(page, "status-429")).toBe(true);
    await page.context().close();
  });

  it("gives the focus back when it is closed, on a phone too", async () => {
    const page = await visit("/docs/errors", { viewport: { width: 320, height: 640 } });
    const button = page.getByRole("button", { name: "Search" });
    await button.click();
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.context().close();
  });
});

describe("in the browser", () => {
  it("a page's title stays as in its HTML", async () => {
    const context = await returningContext(stage.browser, stage.url, operatorEmail);
    const { page } = await openPage(context, stage.url);
    // Forms redirect those who are signed in, and are named by what they ask for.
    const paths = pageAddresses.filter((path) => !/^\/(sign-|setup|reset|admin$)|:/.test(path));
    const changed: string[] = [];
    for (const path of paths) {
      const html = await (await fetch(stage.url + path)).text();
      await page.goto(stage.url + path);
      await page.locator("h1").first().waitFor();
      const title = (await page.title()).replaceAll("&", "&amp;");
      if (!html.includes(`<title>${title}</title>`)) changed.push(`${path}: ${title}`);
    }
    expect(changed).toEqual([]);
    await context.close();
  });

  it("the overview takes at most 20 requests, and asks for no script that its HTML does not name", async () => {
    const context = await signedInContext(stage.browser, stage.url, "overview@example.com");
    const { page } = await openPage(context, stage.url);
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(request.url().replace(stage.url, "")));
    await page.goto(`${stage.url}/app`);
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.waitForFunction(() => document.querySelector(".animate-breathe") === null);
    expect([...asked]).toHaveLength(Math.min(asked.size, 20));
    const html = await (await fetch(`${stage.url}/app`)).text();
    const scripts = [...asked].filter((path) => path.endsWith(".js"));
    expect(scripts.filter((path) => !html.includes(path))).toEqual([]);
    await context.close();
  });

  it("letters beyond Western Europe come in the same font, and are loaded only where they occur", async () => {
    const operator = stage.dashboard.browser();
    await operator.post("/api/sign-in", { email: operatorEmail, password });
    const fontsOf = async () => {
      const page = await visit("/changelog");
      await page.waitForLoadState("networkidle");
      await page.evaluate(() => document.fonts.ready);
      const loaded = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => name),
      );
      await page.context().close();
      return loaded.filter((name) => name.includes("inter-latin-ext"));
    };
    expect(await fontsOf()).toEqual([]);
    await operator.post("/api/admin/changelog", { title: "Żółć w Łodzi", body: "Příliš žluťoučký kůň." });
    expect(await fontsOf()).toHaveLength(1);
  });
});

describe("on paper", () => {
  it.each(["/docs", "/docs/api", "/app/usage"])("%s is its content alone, and fits", async (path) => {
    const context = await returningContext(stage.browser, stage.url, operatorEmail, { colorScheme: "dark" });
    const { page } = await openPage(context, stage.url);
    await page.goto(stage.url + path);
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.emulateMedia({ media: "print" });
    // A4 without its margins, in CSS pixels.
    await page.setViewportSize({ width: 718, height: 1040 });
    expect(await page.locator("nav:visible, button:visible, footer:visible").count()).toBe(0);
    expect(await page.locator("h1").first().isVisible()).toBe(true);
    const { wide, cut, ink } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      cut: [...document.querySelectorAll("pre")].filter(
        ({ parentElement }) =>
          parentElement !== null && parentElement.scrollWidth > parentElement.clientWidth,
      ).length,
      ink:
        getComputedStyle(document.body).colorScheme || getComputedStyle(document.documentElement).colorScheme,
    }));
    expect({ wide, cut }).toEqual({ wide: 0, cut: 0 });
    expect(ink).toContain("light");
    await context.close();
  });
});
